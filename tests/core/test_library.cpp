// SPDX-License-Identifier: MIT
// The search for libraries and the loader; "libm" stands for one that is there.
#include "engine/core/error.h"
#include "engine/core/library.h"
#include "tests/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

namespace lathe {
namespace {

namespace fs = std::filesystem;

/// Sets a variable, and puts back what it was.
class Setting {
public:
    Setting(const char* name, const std::string& value) : name_{name} {
        const char* before = std::getenv(name);
        if (before) before_ = before;
        was_set_ = before != nullptr;
        setenv(name, value.c_str(), 1);
    }
    ~Setting() {
        if (was_set_) setenv(name_, before_.c_str(), 1);
        else unsetenv(name_);
    }
    Setting(const Setting&) = delete;
    Setting& operator=(const Setting&) = delete;

private:
    const char* name_;
    std::string before_;
    bool was_set_ = false;
};

TEST(SharedLibrary, FindsFunctions) {
    const SharedLibrary library = SharedLibrary::open("libm.so.6");
    ASSERT_TRUE(library);
    EXPECT_TRUE(library.path().is_absolute()) << library.path();
    EXPECT_EQ(library.path().filename(), "libm.so.6");
    double (*cosine)(double) = nullptr;
    library.require(cosine, "cos");
    EXPECT_EQ(cosine(0.0), 1.0);
    EXPECT_EQ(library.find<double(double)>("cos"), cosine);
    EXPECT_EQ(library.find<double(double)>("no_such_function"), nullptr);
}

TEST(SharedLibrary, NamesWhatIsMissing) {
    const SharedLibrary library = SharedLibrary::open("libm.so.6");
    double (*function)(double) = nullptr;
    try {
        library.require(function, "no_such_function");
        FAIL();
    } catch (const Error& e) {
        EXPECT_EQ(std::string{e.what()}, library.path().string() + " has no no_such_function");
    }
    try {
        SharedLibrary::open("/nonexistent/libmath.so");
        FAIL();
    } catch (const Error& e) {
        EXPECT_NE(std::string{e.what()}.find("/nonexistent/libmath.so"), std::string::npos);
    }
}

TEST(SharedLibrary, NoneHasNoSymbols) {
    const SharedLibrary none;
    EXPECT_FALSE(none);
    EXPECT_EQ(none.symbol("cos"), nullptr); // and not that of the program
}

TEST(SharedLibrary, OneThatIsNotOpenIsNotOpened) {
    EXPECT_NO_THROW(SharedLibrary::open("libm.so.6", true)); // which the C++ library needs
    EXPECT_THROW(SharedLibrary::open("libnothing.so.1", true), Error);
}

TEST(LibrarySearch, TakesTheFirstThatOpensAndSaysWhatTheOthersLacked) {
    const test::TempFolder folder;
    std::ofstream{folder / "libm.so"} << "no library";
    const FoundLibrary found = open_first(
        {{"libnothing.so.2", 2, true}, {folder / "libm.so", 1}, {"libm.so.6", 6}, {"other", 7}});
    ASSERT_TRUE(found.library);
    EXPECT_EQ(found.place.version, 6);
    ASSERT_EQ(found.problems.size(), 1u); // what is only not open is no problem
    EXPECT_NE(found.problems[0].find((folder / "libm.so").string()), std::string::npos);

    const FoundLibrary none = open_first({{"libnothing.so.2"}, {"libnothing.so.1"}});
    EXPECT_FALSE(none.library);
    EXPECT_EQ(none.problems.size(), 2u);
}

TEST(LibrarySearch, FilesThatExistBelowAFolder) {
    const test::TempFolder folder;
    fs::create_directories(folder / "lib64");
    std::ofstream{folder / "lib64/libx.so.1"};
    std::ofstream{folder / "libx.so.1"};
    const std::vector<fs::path> wanted{folder / "lib64/libx.so.1", folder / "libx.so.1"};
    EXPECT_EQ(existing_files(folder.path(), {"lib64", "lib", "."}, "libx.so.1"), wanted);
}

TEST(LibrarySearch, SitePackagesOfTheInterpreterAndOfVirtualEnvironments) {
    const test::TempFolder folder;
    fs::create_directories(folder / "active/lib/python3.11");
    fs::create_directories(folder / "root/.venv/lib/python3.12");
    const Setting active{"VIRTUAL_ENV", (folder / "active").string()};
    const Setting root{"LATHE_ROOT", (folder / "root").string()};
    EXPECT_TRUE(site_packages().hint.empty());
    set_library_hint("/interpreter/site-packages");
    const SitePackages found = site_packages();
    set_library_hint({});
    EXPECT_EQ(found.hint, "/interpreter/site-packages");
    const std::vector<fs::path> wanted{folder / "active/lib/python3.11/site-packages",
                                       folder / "root/.venv/lib/python3.12/site-packages"};
    EXPECT_EQ(found.environments, wanted);
}

TEST(LibrarySearch, OwnFolderIsThisProgramsOwn) {
    EXPECT_EQ(own_folder(), fs::canonical("/proc/self/exe").parent_path());
}

} // namespace
} // namespace lathe
