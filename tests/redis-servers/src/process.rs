//! A child process that cannot outlive this one, not even if this one is killed.
//!
//! The operating system doesn't end children with their parent. `supervisor.sh` stands between the two: it holds the other end
//! of a pipe, which closes with this process however it ends.
//!
//! Must not know: what the command is.

use std::{
    fs::File,
    io::{BufRead, BufReader, Write},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
};

const SUPERVISOR: &str = include_str!("supervisor.sh");

/// The exit status by which a shell says that there is no such command.
pub(crate) const NOT_FOUND: i32 = 127;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Signal {
    Continue,
    Kill,
    Stop,
    Terminate,
}

impl Signal {
    fn name(self) -> &'static str {
        match self {
            Self::Continue => "CONT",
            Self::Kill => "KILL",
            Self::Stop => "STOP",
            Self::Terminate => "TERM",
        }
    }
}

/// A running command. It is killed and its folder removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    pid: u32,
    supervisor: Child,
    /// Held apart from the child: waiting for a child closes the input that it owns.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Process {
    /// Starts a command whose files are in the folder; what it prints is added to the log.
    pub(crate) fn start(folder: &Path, command: &[&str], log: File) -> Self {
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISOR, "supervisor"])
            .arg(folder)
            .args(command)
            .current_dir(folder)
            // Ctrl-C in a terminal is for the tests; the children end with them.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .expect("sh starts");
        let input = supervisor.stdin.take();
        let output = supervisor.stdout.take().expect("the output is piped");
        let mut output = BufReader::new(output);
        let pid = read_line(&mut output)
            .and_then(|line| line.parse().ok())
            .expect("the supervisor says a process id");
        Self {
            pid,
            supervisor,
            input,
            output,
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns when the signal was sent; false if the command has ended already.
    pub(crate) fn signal(&mut self, signal: Signal) -> bool {
        let name = signal.name();
        let sent = self
            .input
            .as_mut()
            .is_some_and(|input| writeln!(input, "{name}").is_ok());
        sent && read_line(&mut self.output).is_some_and(|line| line == name)
    }

    /// The status of a command that has ended.
    pub(crate) fn exit_status(&mut self) -> Option<ExitStatus> {
        self.supervisor
            .try_wait()
            .expect("a child can be waited for")
    }

    /// Kills the command, also a stopped one; its folder stays.
    pub(crate) fn kill(mut self) {
        self.signal(Signal::Kill);
        self.wait();
    }

    fn wait(&mut self) {
        self.supervisor.wait().expect("a child can be waited for");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.input.take());
        self.wait();
    }
}

fn read_line(output: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    output.read_line(&mut line).ok()?;
    Some(line.trim_end().to_owned())
}
