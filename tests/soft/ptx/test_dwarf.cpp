// SPDX-License-Identifier: MIT
// data/signatures.ptx is NVRTC 13.0's -G output for data/signatures.cu.
#include "gpu/ptx/dwarf.h"

#include "engine/core/resources.h"
#include "gpu/ptx/parser.h"

#include <gtest/gtest.h>

#include <random>

namespace {

using lathe::ptx::KernelSignature;
using lathe::ptx::ParameterType;
using Kind = ParameterType::Kind;

std::string text() {
    return lathe::read_text(lathe::resource("tests/soft/ptx/data/signatures.ptx"));
}

std::vector<KernelSignature> signatures() {
    const auto parsed = lathe::ptx::parse(text());
    EXPECT_TRUE(parsed.ok());
    return kernel_signatures(parsed.module);
}

TEST(Dwarf, NamesAndTypesAreTheSources) {
    const auto all = signatures();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].name, "step");
    struct Expected {
        const char* name;
        const char* type;
        Kind kind;
        std::uint32_t bytes;
    };
    const std::vector<Expected> expected{{"u", "float*", Kind::pointer, 8},
                                         {"v", "const float2*", Kind::pointer, 8},
                                         {"width", "int", Kind::signed_integer, 4},
                                         {"F", "float", Kind::floating, 4},
                                         {"k", "double", Kind::floating, 8},
                                         {"on", "bool", Kind::boolean, 1},
                                         {"seed", "uint", Kind::unsigned_integer, 4},
                                         {"p", "Params", Kind::structure, 32},
                                         {"m", "Mode", Kind::enumeration, 4},
                                         {"img", "const unsigned char*", Kind::pointer, 8},
                                         {"arr", "float", Kind::floating, 4}};
    ASSERT_EQ(all[0].parameters.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const ParameterType& p = all[0].parameters[i];
        EXPECT_EQ(p.name, expected[i].name);
        EXPECT_EQ(p.type_name, expected[i].type);
        EXPECT_EQ(p.kind, expected[i].kind) << p.name;
        EXPECT_EQ(p.bytes, expected[i].bytes) << p.name;
    }
}

TEST(Dwarf, PointersKnowWhetherTheyMayBeWritten) {
    const auto p = signatures()[0].parameters;
    EXPECT_FALSE(p[0].is_const_pointee);
    EXPECT_TRUE(p[1].is_const_pointee);
    EXPECT_TRUE(p[9].is_const_pointee);
}

TEST(Dwarf, MembersHaveOffsetsAndEnumeratorsValues) {
    const auto p = signatures()[0].parameters;
    const ParameterType& params = p[7];
    ASSERT_EQ(params.members.size(), 3u);
    EXPECT_EQ(params.members[1].name, "n");
    EXPECT_EQ(params.members[1].offset, 4u);
    EXPECT_EQ(params.members[2].offset, 16u); // float4 is aligned to 16
    EXPECT_EQ(params.members[2].members[3].name, "w");
    ASSERT_EQ(p[8].enumerators.size(), 2u);
    EXPECT_EQ(p[8].enumerators[1].name, "slow");
    EXPECT_EQ(p[8].enumerators[1].value, 5);
}

TEST(Dwarf, ATemplateIsFoundByItsLinkageName) {
    const auto all = signatures();
    EXPECT_EQ(all[1].name, "_Z5scaleIfEvPT_S0_x");
    EXPECT_EQ(all[1].source_name, "scale<float>");
    ASSERT_EQ(all[1].parameters.size(), 3u);
    EXPECT_EQ(all[1].parameters[2].type_name, "long long");
}

TEST(Dwarf, AModuleWithoutDebugInformationHasNoSignatures) {
    const auto parsed = lathe::ptx::parse(".version 8.0\n.target sm_75\n.address_size 64\n"
                                          ".visible .entry k() { ret; }\n");
    ASSERT_TRUE(parsed.ok());
    EXPECT_TRUE(kernel_signatures(parsed.module).empty());
}

TEST(Dwarf, DamagedSectionsNeitherCrashNorHang) {
    auto parsed = lathe::ptx::parse(text());
    std::mt19937 random{1};
    for (int round = 0; round < 3000; ++round) {
        lathe::ptx::Module damaged = parsed.module;
        for (auto& section : damaged.sections) {
            if (section.items.empty()) continue;
            for (int hit = 0; hit < 3; ++hit) {
                auto& item = section.items[random() % section.items.size()];
                if (random() % 8 == 0) item.bytes = 0;
                else item.value = std::uint64_t{random()};
            }
            if (random() % 16 == 0) section.items.resize(random() % section.items.size());
        }
        kernel_signatures(damaged);
    }
}

} // namespace
