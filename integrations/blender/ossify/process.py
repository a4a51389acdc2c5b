# SPDX-License-Identifier: MIT
"""A running ossify command: its progress, its report, and cancelling it."""

import json
import os
import signal
import subprocess
import threading


class Process:
    """Starts a command. Lines of its standard error are read by a thread, since Blender must not wait for them."""

    def __init__(self, line, folder):
        self.report_path = os.path.join(folder, "report.json")
        words = [*line, "--quiet", "--progress", "json", "--report", self.report_path]
        flags = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP} if os.name == "nt" else {}
        self.child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **flags)
        self.phase = "start"
        self.ratio = 0.0
        self.error = None
        self.message = ""
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        for line in self.child.stderr:
            if line.startswith("{"):
                info = json.loads(line)
                self.phase, self.ratio = info["phase"], info["ratio"]
                self.error = info.get("eRms", self.error)
            elif not line.startswith("note:"):
                self.message = line.strip()

    def is_running(self):
        return self.child.poll() is None

    def describe(self):
        error = "" if self.error is None else ", error %.3g" % self.error
        return "%s %d %%%s" % (self.phase, round(100 * self.ratio), error)

    def stop(self):
        """The first signal asks for the best result so far."""
        if self.is_running():
            self.child.send_signal(signal.CTRL_BREAK_EVENT if os.name == "nt" else signal.SIGINT)

    def finish(self):
        """Waits for the end; the report, or an error with the command's own message. Status 3 is a quality gate, 130 an interrupted job: both have a result."""
        status = self.child.wait()
        self.thread.join()
        if status not in (0, 3, 130) or not os.path.isfile(self.report_path):
            raise RuntimeError(self.message or "ossify ended with status %d" % status)
        with open(self.report_path, encoding="utf-8") as file:
            return json.load(file)
