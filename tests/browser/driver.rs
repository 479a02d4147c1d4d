//! chromedriver, which drives Chromium as the W3C's WebDriver says.
//!
//! Must not know: what is done with it.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Lines},
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Child, ChildStdout, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
};

/// It ends with its input, which closes when this process ends, however it does, and takes the browsers along that it started: they
/// are of its process group. Its output is chromedriver's alone, and so ends if chromedriver does not start.
const SUPERVISED: &str = "chromedriver --port=0 & exec >&-; cat >/dev/null; kill -s KILL -- -$$";

/// Says on which port it listens.
const STARTED: &str = "ChromeDriver was started successfully on port ";

/// A running chromedriver on a port of its own; it ends and its files are removed when this is dropped.
pub(super) struct Driver {
    supervisor: Child,
    /// Nobody reads on, but a closed output would end it when it has more to say.
    _output: Lines<BufReader<ChildStdout>>,
    folder: PathBuf,
    pub(super) port: u16,
}

impl Driver {
    pub(super) fn start() -> Self {
        let folder = folder();
        fs::create_dir_all(&folder).unwrap();
        let mut supervisor = Command::new("sh")
            .args(["-c", SUPERVISED])
            .process_group(0)
            // Where browsers get their profiles. One that is told a profile begins with its start page.
            .env("TMPDIR", &folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(supervisor.stdout.take().unwrap()).lines();
        let mut said = output.by_ref().map_while(Result::ok);
        let port = said.find_map(|line| port_of(&line));
        let port = port.expect("chromedriver doesn't start: is it installed? ./test installs it");
        Self {
            supervisor,
            _output: output,
            folder,
            port,
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.supervisor.stdin.take());
        drop(self.supervisor.wait());
        drop(fs::remove_dir_all(&self.folder));
    }
}

fn folder() -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    env::temp_dir().join(format!("guard-browser-{}-{number}", std::process::id()))
}

fn port_of(line: &str) -> Option<u16> {
    let port = line.strip_prefix(STARTED)?;
    port.trim_end_matches('.').parse().ok()
}

/// The browser by the names that it has in packages. `None`: chromedriver knows best.
pub(super) fn chromium() -> Option<PathBuf> {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    names
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|path| path.is_file())
}
