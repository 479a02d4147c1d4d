//! Instructions a request, counted by valgrind's callgrind in user space over a fixed number of requests.

use std::{env, fs, io, path::PathBuf, process};

use crate::{Setup, load::Load, server::Server};

/// Whether they can be counted here.
pub(crate) fn are_countable() -> bool {
    let version = process::Command::new("valgrind").arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}

/// Instructions a request, in the steady state: two runs differ by so many requests and by nothing else.
pub(crate) fn per_request<S: Setup>(setup: S, backend: &S::Backend) -> io::Result<f64> {
    let requests = setup.clients() as usize;
    let none = total(setup, backend, 0)?;
    let some = total(setup, backend, requests)?;
    Ok((some - none) / requests as f64)
}

/// Instructions of a server that answers so many requests after the warm-up.
fn total<S: Setup>(setup: S, backend: &S::Backend, requests: usize) -> io::Result<f64> {
    let file = Scratch(env::temp_dir().join(format!("requests-{}.callgrind", process::id())));
    let under = [
        "valgrind".to_owned(),
        "--quiet".to_owned(),
        "--tool=callgrind".to_owned(),
        format!("--callgrind-out-file={}", file.0.display()),
    ];
    let server = Server::start(setup, backend, &under)?;
    let mut load = Load::connect(setup, server.port())?;
    load.warm_up()?;
    load.send(requests)?;
    drop(load);
    server.end()?;
    let counted = fs::read_to_string(&file.0)?;
    let line = counted.lines().find_map(|line| {
        line.strip_prefix("totals: ")
            .or(line.strip_prefix("summary: "))
    });
    line.and_then(|number| number.trim().parse().ok())
        .ok_or_else(|| io::Error::other("callgrind wrote no total"))
}

/// A file that goes away again.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        fs::remove_file(&self.0).ok();
    }
}
