// SPDX-License-Identifier: MIT
// Context switches of fiber.h for x86-64 System V. A suspended stack holds, from its pointer up:
// r15 r14 r13 r12 rbx rbp and the address to continue at. Floating-point control words are the
// same for all fibers of a launch, so they are not part of a context.
//
// A switch ends with `ret`, so that calls and returns stay paired for the return predictor: fibers
// wait at the same few places, and what it remembers of one stack mostly holds for the other. With
// a jump every return up to the kernel's code was mispredicted, some 20 ns a switch.
        .text
        .p2align 4
        .globl  lathe_soft_switch
        .hidden lathe_soft_switch
        .type   lathe_soft_switch, @function
lathe_soft_switch:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rsp
        jmp     .Lresume
        .size   lathe_soft_switch, .-lathe_soft_switch

        .p2align 4
        .globl  lathe_soft_jump
        .hidden lathe_soft_jump
        .type   lathe_soft_jump, @function
lathe_soft_jump:
        movq    %rdi, %rsp
.Lresume:
        popq    %r15
        popq    %r14
        popq    %r13
        popq    %r12
        popq    %rbx
        popq    %rbp
        ret                     // see above: mostly to where the other stack came from, too
        .size   lathe_soft_jump, .-lathe_soft_jump

        .p2align 4
        .globl  lathe_soft_switch_new
        .hidden lathe_soft_switch_new
        .type   lathe_soft_switch_new, @function
lathe_soft_switch_new:
        pushq   %rbp
        pushq   %rbx
        pushq   %r12
        pushq   %r13
        pushq   %r14
        pushq   %r15
        movq    %rsp, (%rdi)
        movq    %rsi, %rdi
        movq    %rdx, %rsi
        movq    %rcx, %rdx
        jmp     lathe_soft_restart
        .size   lathe_soft_switch_new, .-lathe_soft_switch_new

        .p2align 4
        .globl  lathe_soft_restart
        .hidden lathe_soft_restart
        .type   lathe_soft_restart, @function
lathe_soft_restart:
        .cfi_startproc
        .cfi_undefined rip      // unwinders stop here
        movq    %rdi, %rsp
        xorl    %ebp, %ebp
        movq    %rdx, %rdi
        call    *%rsi
        ud2
        .cfi_endproc
        .size   lathe_soft_restart, .-lathe_soft_restart

        .section .note.GNU-stack,"",@progbits
