// SPDX-License-Identifier: MIT
// lathe_rt_access_check (rt/access.h): keeps every register and the flags, so that compiled code
// can call it from inline assembly that clobbers nothing, and calls lathe_rt_access_failed. The
// code around keeps all its values in registers as if there was no call.
        .set    SAVED, 2816     // x87, SSE, AVX, AVX-512 in the standard format of xsave
        .text
        .p2align 4
        .globl  lathe_rt_access_check
        .type   lathe_rt_access_check, @function
lathe_rt_access_check:
        .cfi_startproc
        pushq   %rbp
        .cfi_adjust_cfa_offset 8
        .cfi_rel_offset rbp, 0
        movq    %rsp, %rbp
        .cfi_def_cfa_register rbp
        pushfq
        pushq   %rax
        pushq   %rcx
        pushq   %rdx
        pushq   %rsi
        pushq   %rdi
        pushq   %r8
        pushq   %r9
        pushq   %r10
        pushq   %r11
        leaq    -SAVED(%rsp), %rsp
        andq    $-64, %rsp
        xorl    %eax, %eax      // the header, of which xsave writes the first word only
        movq    %rax, 512(%rsp)
        movq    %rax, 520(%rsp)
        movq    %rax, 528(%rsp)
        movq    %rax, 536(%rsp)
        movq    %rax, 544(%rsp)
        movq    %rax, 552(%rsp)
        movq    %rax, 560(%rsp)
        movq    %rax, 568(%rsp)
        movl    $0xe7, %eax
        xorl    %edx, %edx
        xsave64 (%rsp)
        cld
        movq    %rbp, %rdi
        call    lathe_rt_access_failed@PLT
        movl    $0xe7, %eax
        xorl    %edx, %edx
        xrstor64 (%rsp)
        leaq    -80(%rbp), %rsp
        popq    %r11
        popq    %r10
        popq    %r9
        popq    %r8
        popq    %rdi
        popq    %rsi
        popq    %rdx
        popq    %rcx
        popq    %rax
        popfq
        popq    %rbp
        .cfi_def_cfa rsp, 8
        ret     $32             // and what code has pushed
        .cfi_endproc
        .size   lathe_rt_access_check, .-lathe_rt_access_check

        .section .note.GNU-stack,"",@progbits
