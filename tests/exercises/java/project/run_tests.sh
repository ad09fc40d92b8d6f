# Builds everything into the folder $1 and runs the tests.
set -eu
rm -rf "$1/classes"
mkdir -p "$1/classes"
find src -name '*.java' | sort >"$1/sources"
javac -d "$1/classes" "@$1/sources"
java -cp "$1/classes" exercise.AllTests
