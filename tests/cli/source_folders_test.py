"""Without git, source in folders named build, dist, … is part of the workspace: for undo and certificates, too."""

import os
import shutil

from harness import VALIDATE, StileTest, finish, main, shell, write

OLD = "def steps(count):\n    return count + 1\n"
NEW = "def steps(count):\n    return 1 + count\n"


class SourceFoldersTest(StileTest):

    def setUp(self):
        super().setUp()
        self.write("build/steps.py", OLD)
        self.write("main.py", "from build import steps\n")
        result = self.run_task(write("build/steps.py", NEW), VALIDATE, finish(), arguments=("--json", "--yes"))
        self.assert_exit(result, 0)
        self.run_id = self.events(result)[-1]["run_id"]
        self.certificate = os.path.join(self.state, "runs", self.run_id, "certificate.json")

    def test_a_certificate_names_them_and_holds_elsewhere(self):
        self.assert_exit(self.stile("certificate", "verify", self.certificate), 0)
        elsewhere = os.path.join(self.root, "elsewhere")
        shutil.copytree(self.workspace, elsewhere)
        self.assert_exit(self.stile("certificate", "verify", self.certificate, "--workspace", elsewhere), 0)
        with open(os.path.join(elsewhere, "build", "other.py"), "w", encoding="utf-8") as file:
            file.write("x = 1\n")
        self.assert_exit(self.stile("certificate", "verify", self.certificate, "--workspace", elsewhere), 1)

    def test_a_run_is_undone(self):
        self.assert_exit(self.stile("runs", "undo", self.run_id), 0)
        self.assertEqual(self.read("build/steps.py"), OLD)

    def test_a_folder_stays_source_when_its_last_file_was_deleted(self):
        shutil.rmtree(self.path("build"))
        result = self.run_task(shell("mkdir build && echo 'def f(:' > build/new.py"), finish(),
                               arguments=("--json", "--yes"))
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("build/new.py", result.stdout)


if __name__ == "__main__":
    main()
