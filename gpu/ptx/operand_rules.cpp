// SPDX-License-Identifier: MIT
#include "gpu/ptx/operand_rules.h"

namespace lathe::ptx {

std::string_view operand_rule(const Instruction& instruction) {
    switch (instruction.opcode) {
    case Opcode::add:
    case Opcode::sub:
    case Opcode::addc:
    case Opcode::subc:
    case Opcode::div:
    case Opcode::rem:
    case Opcode::and_:
    case Opcode::or_:
    case Opcode::xor_:
    case Opcode::copysign: return "dtt";
    case Opcode::min:
    case Opcode::max: return "dtt?t";
    case Opcode::mul:
    case Opcode::mul24: return "wtt";
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::madc: return "wttx";
    case Opcode::fma:
    case Opcode::sad: return "dttt";
    case Opcode::abs:
    case Opcode::neg:
    case Opcode::not_:
    case Opcode::cnot:
    case Opcode::rcp:
    case Opcode::sqrt:
    case Opcode::rsqrt:
    case Opcode::sin:
    case Opcode::cos:
    case Opcode::lg2:
    case Opcode::ex2:
    case Opcode::tanh:
    case Opcode::brev: return "dt";
    case Opcode::mov: return "dt";
    case Opcode::cvt: return instruction.has("pack") ? "" : "DU?**";
    case Opcode::cvta: return "dt";
    case Opcode::ld:
    case Opcode::ldu: return "Da?*";
    case Opcode::st: return "aS?*";
    case Opcode::atom: return instruction.has("cas") ? "datt?*" : "dat?*";
    case Opcode::red: return instruction.has("async") ? "" : "at?*";
    case Opcode::selp: return "dttp";
    case Opcode::slct: return "dttu";
    case Opcode::setp: return "qtt?p";
    case Opcode::set: return "duu?p";
    case Opcode::testp: return "qt";
    case Opcode::shl:
    case Opcode::shr: return "dti";
    case Opcode::shf:
    case Opcode::prmt: return "dtti";
    case Opcode::popc:
    case Opcode::clz:
    case Opcode::bfind: return "ot";
    case Opcode::bfe: return "dtii";
    case Opcode::bfi: return "dttii";
    case Opcode::bmsk: return "dii";
    case Opcode::szext: return "dti";
    case Opcode::lop3: return "dttti?p";
    case Opcode::dp2a:
    case Opcode::dp4a: return "oiii";
    case Opcode::shfl: return instruction.has("sync") ? "dtiii" : "dtii";
    case Opcode::vote: return instruction.has("sync") ? "dpi" : "dp";
    case Opcode::match: return "oti";
    case Opcode::redux: return "dti";
    case Opcode::activemask: return "o";
    case Opcode::nanosleep: return "i";
    case Opcode::isspacep: return "q*";
    case Opcode::bra: return "l";
    case Opcode::brx: return "il";
    case Opcode::ret:
    case Opcode::exit:
    case Opcode::trap:
    case Opcode::brkpt: return "?";
    default: return {};
    }
}

} // namespace lathe::ptx
