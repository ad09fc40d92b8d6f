"""Reads exercises from a suite: the layout of tests/exercises, or tracks in Exercism's layout."""

import collections
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))

# Commands are the second opinion: they run in the workspace, by themselves; for level test, `test` after
# `build`. "" where nothing can judge.
Language = collections.namedtuple("Language", "extensions needs build test")
LANGUAGES = {
    "python": Language((".py",), ("mypy", "pytest"), "mypy . --cache-dir=/dev/null",
                       "pytest -q -p no:cacheprovider"),
    "typescript": Language((".ts",), ("node", "tsc"), "tsc --noEmit -p .", "npm test --silent"),
    # Only syntax is checked without running it.
    "javascript": Language((".js", ".mjs"), ("node", "npm"), "", "npm test --silent"),
    # Tests may not lend the package what it lacks, and vet's findings are no errors.
    "go": Language((".go",), ("go",), "go build ./... && go test -vet=off -run '^$' ./...", "go test ./..."),
    "rust": Language((".rs",), ("cargo",), "cargo check --offline --quiet --tests",
                     "cargo test --offline --quiet"),
    "c": Language((".c",), ("gcc", "make"), "make -s", "make -s test"),
    "cpp": Language((".cc", ".cpp", ".h"), ("g++", "cmake"),
                    "cmake -S . -B build >/dev/null && cmake --build build",
                    "ctest --test-dir build"),
    "csharp": Language((".cs",), ("dotnet",), "dotnet build -v q", "dotnet test -v q"),
    "java": Language((".java",), ("javac",), "javac -d .out $(find . -name '*.java')",
                     "sh run_tests.sh \"$(mktemp -d -p .)\""),
}

# `links`: folders outside of the workspace that it shows under a name.
Exercise = collections.namedtuple(
    "Exercise", "suite language name files solution extensions needs build test settings left_out links",
    defaults=({},))


def load(suite, options):
    """The exercises of a suite that the options ask for."""
    if os.path.isdir(os.path.join(suite, "exercises", "practice")):
        found = list(load_track(suite, track_language(suite), options.packages))
    else:
        found = []
        for language in sorted(LANGUAGES):
            folder = os.path.join(suite, language)
            if os.path.isdir(os.path.join(folder, "exercises", "practice")):
                found += load_track(folder, language, options.packages)
            elif os.path.isdir(folder):
                found += load_own(suite, language)
    chosen = []
    for exercise in found:
        if options.language and exercise.language not in options.language:
            continue
        if options.only and exercise.name not in options.only:
            continue
        same = sum(other.language == exercise.language for other in chosen)
        if options.limit and same >= options.limit:
            continue
        chosen.append(exercise)
    return chosen


def read_tree(folder):
    """Content of every file below a folder, by relative path."""
    files = {}
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(base, name)
            with open(path, "rb") as file:
                files[os.path.relpath(path, folder)] = file.read()
    return files


def load_own(suite, language):
    kind = LANGUAGES[language]
    folder = os.path.join(suite, language)
    settings = os.path.join(folder, "settings.yaml")
    for name in sorted(os.listdir(folder)):
        here = os.path.join(folder, name)
        if not os.path.isdir(os.path.join(here, "solution")):
            continue
        files = {}
        for part in (os.path.join(folder, "project"), os.path.join(here, "stub"), os.path.join(here, "tests")):
            files.update(read_tree(part))
        test, left_out = kind.test, []
        if language == "csharp":
            source = nuget_source()
            if source:
                files["nuget.config"] = source
            else:
                test, left_out = "", ["no level test: the packages of xunit are not here (scripts/setup test)"]
        yield Exercise(suite, language, name, files, read_tree(os.path.join(here, "solution")),
                       kind.extensions, kind.needs, kind.build, test,
                       settings if os.path.exists(settings) else "", left_out)


def nuget_folder():
    """The folder of packages that scripts/setup fills; it need not exist."""
    return os.path.realpath(os.path.join(HERE, "..", "..", "build", "nuget"))


def nuget_source():
    """A nuget.config that names nuget_folder(), if it is filled."""
    if not os.path.exists(os.path.join(nuget_folder(), "stamp")):
        return None
    return ('<configuration><packageSources><clear/><add key="here" value="'
            f'{nuget_folder()}"/></packageSources></configuration>\n').encode()


# Tracks --------------------------------------------------------------------------------------------------


def track_language(suite):
    """By config.json of the track, or by the name of its folder where there is none."""
    slug = os.path.basename(os.path.realpath(suite))
    config = os.path.join(suite, "config.json")
    if os.path.exists(config):
        try:
            with open(config, encoding="utf-8") as file:
                slug = json.load(file)["slug"]
        except (ValueError, KeyError) as error:
            sys.exit(f"exercises: {config}: {error!r}")
    if slug not in LANGUAGES:
        sys.exit(f"exercises: {suite}: the track '{slug}' is of no language known here")
    return slug


def load_track(folder, language, packages):
    """`packages`: a folder with the node_modules that tests need; "" for none."""
    practice = os.path.join(folder, "exercises", "practice")
    for name in sorted(os.listdir(practice)):
        here = os.path.join(practice, name)
        meta = os.path.join(here, ".meta", "config.json")
        if not os.path.exists(meta):
            continue
        try:
            with open(meta, encoding="utf-8") as file:
                roles = json.load(file)["files"]
        except (ValueError, KeyError) as error:
            print(f"exercises: {meta}: left out: {error!r}", file=sys.stderr)
            continue
        files = {path: data for path, data in read_tree(here).items()
                 if not path.startswith((".meta/", ".docs/", ".approaches/", ".articles/"))}
        solution = reference(here, roles)
        if not solution:
            print(f"exercises: {here}: no reference solution", file=sys.stderr)
            continue
        exercise = track_exercise(folder, language, name, files, solution)
        if language in WITH_PACKAGES and packages:
            yield WITH_PACKAGES[language](exercise, os.path.join(os.path.realpath(packages), "node_modules"))
        else:
            yield ADAPT.get(language, plain)(exercise, roles)


def track_exercise(folder, language, name, files, solution):
    kind = LANGUAGES[language]
    return Exercise(folder, language, name, files, solution, kind.extensions, kind.needs, kind.build, kind.test,
                    "", [])


def reference(here, roles):
    """The reference under the names of the solution: by order, or else by name or ending."""
    wanted = roles.get("solution", [])
    examples = roles.get("example") or roles.get("exemplar") or []
    content = {}
    for path in examples:
        full = os.path.join(here, path)
        if os.path.exists(full):
            with open(full, "rb") as file:
                content[path] = file.read()
    solution = {}
    for example, data in content.items():
        same_name = [path for path in wanted if os.path.basename(path) == os.path.basename(example)]
        same_ending = [path for path in wanted if os.path.splitext(path)[1] == os.path.splitext(example)[1]]
        target = (same_name or same_ending or [None])[0]
        if target:
            solution[target] = data
    return solution


def plain(exercise, _):
    return exercise


def adapt_python(exercise, _):
    settings = b"[mypy]\ncheck_untyped_defs = True\nignore_missing_imports = True\n"
    files = {"mypy.ini": settings, **exercise.files}
    sources = " ".join(path for path in exercise.solution if path.endswith(".py"))
    return exercise._replace(files=files, build=f"mypy {sources} --cache-dir=/dev/null")


def adapt_rust(exercise, _):
    """All tests run, not only the first; what needs other crates cannot be had."""
    manifest = (exercise.solution.get("Cargo.toml") or exercise.files.get("Cargo.toml", b"")).decode()
    section = re.search(r"\[(?:dev-)?dependencies\]\s*\n(\s*[\w-]+\s*=)", manifest)
    if section:
        return exercise._replace(build="", test="", left_out=["needs crates from the network"])
    files = {path: re.sub(rb"(?m)^\s*#\[ignore.*?\]\n", b"", data) if path.startswith("tests/") else data
             for path, data in exercise.files.items()}
    return exercise._replace(files={".gitignore": b"target/\n", **files})


def adapt_c(exercise, _):
    files = {path: re.sub(rb"(?m)^\s*TEST_IGNORE\(\);.*\n", b"", data) if path.startswith("test_") else data
             for path, data in exercise.files.items()}
    return exercise._replace(files={".gitignore": b"*.out\n*.o\n", **files}, build="make -s tests.out")


def adapt_cpp(exercise, _):
    """The name of the folder goes into the build; and all tests run."""
    text = exercise.files["CMakeLists.txt"].decode()
    text = re.sub(r"get_filename_component\(exercise \$\{CMAKE_CURRENT_SOURCE_DIR\} NAME\)",
                  f"set(exercise {exercise.name})", text)
    files = {".gitignore": b"build/\n", **exercise.files,
             "CMakeLists.txt": b"add_definitions(-DEXERCISM_RUN_ALL_TESTS)\n" + text.encode()}
    # The build itself runs the tests.
    return exercise._replace(files=files, test="true")


def without_tests(exercise, roles, why, more):
    """For build only: what the tests need cannot be had."""
    tests = set(roles.get("test", []))
    kept = {path: data for path, data in exercise.files.items()
            if path.endswith(exercise.extensions) and path not in tests and not path.startswith("src/test/")}
    return exercise._replace(files={**kept, **more}, test="", left_out=[f"no level test: {why}"])


# Debian's junit5 and libassertj-core-java.
JARS = [f"/usr/share/java/{name}.jar" for name in (
    "junit-jupiter-api", "junit-jupiter-engine", "junit-jupiter-params", "junit-platform-engine",
    "junit-platform-commons", "junit-platform-launcher", "junit-platform-console", "junit-platform-reporting",
    "opentest4j", "apiguardian-api", "assertj-core", "byte-buddy", "picocli", "univocity-parsers")]
RUN_JUNIT = """\
# Builds everything into the folder $1 and runs the tests.
set -eu
rm -rf "$1/classes"
mkdir -p "$1/classes"
find src -name '*.java' | sort >"$1/sources"
javac -cp "$JARS" -d "$1/classes" "@$1/sources"
java -cp "$JARS:$1/classes" org.junit.platform.console.ConsoleLauncher --scan-classpath "$1/classes" \\
  --disable-banner --disable-ansi-colors --details=tree --fail-if-no-tests
"""


def adapt_java(exercise, roles):
    if not all(os.path.exists(jar) for jar in JARS):
        return without_tests(exercise, roles, "needs JUnit and AssertJ (Debian: junit5, libassertj-core-java)",
                             {".gitignore": b".out/\n"})
    files = {path: re.sub(rb'(?m)^\s*@Disabled\(.*\)\s*\n', b"", data)
             for path, data in exercise.files.items() if path.endswith(".java")}
    script = RUN_JUNIT.replace("$JARS", ":".join(JARS)).encode()
    build = f"javac -cp {':'.join(JARS)} -d .out $(find . -name '*.java')"
    return exercise._replace(files={".gitignore": b".out/\n", "run_tests.sh": script, **files}, build=build,
                             settings=os.path.join(HERE, "java", "settings.yaml"))


def adapt_csharp(exercise, roles):
    """With the versions of xunit that are here instead of the track's."""
    with open(os.path.join(HERE, "csharp", "project", "Exercise.csproj"), "rb") as file:
        project = file.read()
    more = {"Exercise.csproj": project, ".gitignore": b"bin/\nobj/\n"}
    source = nuget_source()
    if source is None or any(b"Exercism.Tests" in data or b"Xunit." in data for path, data in
                             exercise.files.items() if path in roles.get("test", [])):
        return without_tests(exercise, roles, "needs packages of xunit from the network", more)
    more["Usings.cs"] = b"global using Xunit;\n"
    files = {path: re.sub(rb'\(Skip = "[^"]*"\)', b"", data) for path, data in exercise.files.items()
             if path.endswith(".cs")}
    return exercise._replace(files={**files, **more, "nuget.config": source})


TYPESCRIPT = {"strict": True, "target": "es2022", "module": "es2022", "moduleResolution": "bundler",
              "esModuleInterop": True, "allowImportingTsExtensions": True, "types": [], "noEmit": True,
              "skipLibCheck": True}


def adapt_typescript(exercise, roles):
    return without_tests(exercise, roles, "needs Jest from the network (--packages)",
                         {"tsconfig.json": json.dumps({"compilerOptions": TYPESCRIPT}).encode()})


def adapt_javascript(exercise, _):
    return exercise._replace(build="", test="",
                             left_out=["only tests can judge it, and they need Jest from the network (--packages)"])


def with_jest(exercise, modules):
    """All tests run, with Jest from `modules`."""
    files = {}
    for path, data in exercise.files.items():
        if path.endswith((".spec.js", ".test.ts")):
            data = re.sub(rb"\bx(test|it|describe)(?=[(.])", rb"\1", data)
            data = re.sub(rb"\b(test|it|describe)\.skip\b", rb"\1", data)
        if path.startswith(".yarn") or path in (".npmrc", "yarn.lock"):
            continue
        files[path] = data
    package = json.loads(files["package.json"])
    package["scripts"] = {"test": "jest --verbose"}
    package.pop("packageManager", None)
    files["package.json"] = json.dumps(package, indent=1).encode()
    return exercise._replace(files={**files, ".gitignore": b"node_modules\n"}, links={"node_modules": modules})


def javascript_with_jest(exercise, modules):
    return with_jest(exercise, modules)._replace(build="")


def typescript_with_jest(exercise, modules):
    exercise = with_jest(exercise, modules)
    exercise.files["tsconfig.json"] = json.dumps({"compilerOptions": TYPESCRIPT}).encode()
    return exercise


ADAPT = {"python": adapt_python, "rust": adapt_rust, "c": adapt_c, "cpp": adapt_cpp, "java": adapt_java,
         "csharp": adapt_csharp, "typescript": adapt_typescript, "javascript": adapt_javascript}
WITH_PACKAGES = {"javascript": javascript_with_jest, "typescript": typescript_with_jest}
