//! Servers as processes of their own.

use std::{
    env, fs,
    io::{self, BufRead as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use crate::{Backend as _, Setup};

/// A server in a process of its own. Its processor time is measured, where the system tells it.
pub(crate) struct Server {
    child: Child,
    /// Its end is the server's.
    input: Option<ChildStdin>,
    _output: BufReader<ChildStdout>,
    port: u16,
}

impl Server {
    /// Starts a server with a backend that knows nothing; `under` is put before its command line.
    pub(crate) fn start<S: Setup>(
        setup: S,
        backend: &S::Backend,
        under: &[String],
    ) -> io::Result<Self> {
        backend.reset();
        let this = env::current_exe()?;
        let mut command = match under.split_first() {
            Some((program, arguments)) => {
                let mut command = Command::new(program);
                command.args(arguments).arg(this);
                command
            }
            None => Command::new(this),
        };
        command.args(["serve", &setup.name(), &backend.address()]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut output = BufReader::new(output);
        let mut port = String::new();
        output.read_line(&mut port)?;
        let port = port.trim().parse().map_err(io::Error::other)?;
        Ok(Self {
            child,
            input,
            _output: output,
            port,
        })
    }

    /// The port, of 127.0.0.1.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Seconds of the processor that the server has used, from `/proc`.
    pub(crate) fn cpu_seconds(&self) -> Option<f64> {
        // In units of 10 ms on every Linux that is built as usual.
        const TICKS_PER_SECOND: f64 = 100.0;
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let ticks = fields.split_whitespace().skip(11).take(2);
        let ticks: Option<f64> = ticks.map(|field| field.parse::<f64>().ok()).sum();
        Some(ticks? / TICKS_PER_SECOND)
    }

    /// Lets the server end, and waits for it.
    pub(crate) fn end(mut self) -> io::Result<()> {
        drop(self.input.take());
        self.child.wait()?;
        Ok(())
    }
}
