//! Whether a file has changed since it was looked at last, and has come to rest.
//!
//! Must not know: what is in the file, or how often it is looked at.

use std::{fs, path::PathBuf, time::SystemTime};

/// The changes of one file.
#[derive(Debug)]
pub(crate) struct Changes {
    path: PathBuf,
    watch: Watch,
}

impl Changes {
    /// Changes after this moment.
    pub(crate) fn from_now_on(path: PathBuf) -> Self {
        let watch = Watch::new(stamp(&path));
        Self { path, watch }
    }

    /// Whether there is something new to read.
    pub(crate) fn look(&mut self) -> bool {
        self.watch.look(stamp(&self.path))
    }
}

/// What tells that a file was written or replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    length: u64,
}

/// `None` if there is no file at present: editors replace files, and in between there is none.
fn stamp(path: &PathBuf) -> Option<Stamp> {
    let metadata = fs::metadata(path).ok()?;
    Some(Stamp {
        modified: metadata.modified().ok()?,
        length: metadata.len(),
    })
}

/// What was seen of a file.
#[derive(Debug)]
struct Watch {
    /// When it was read last.
    read: Option<Stamp>,
    /// At the last look.
    seen: Option<Stamp>,
}

impl Watch {
    fn new(read: Option<Stamp>) -> Self {
        Self { read, seen: read }
    }

    /// Only what two looks find alike is read, for a file that is being written is half a file.
    fn look(&mut self, now: Option<Stamp>) -> bool {
        let rests = now == self.seen;
        self.seen = now;
        let is_new = now.is_some() && now != self.read;
        if is_new && rests {
            self.read = now;
        }
        is_new && rests
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn written(second: u64, length: u64) -> Option<Stamp> {
        Some(Stamp {
            modified: SystemTime::UNIX_EPOCH + Duration::from_secs(second),
            length,
        })
    }

    #[test]
    fn a_change_is_told_once_and_when_it_has_come_to_rest() {
        let mut watch = Watch::new(written(1, 10));
        assert!(!watch.look(written(1, 10)), "unchanged");
        assert!(!watch.look(written(2, 5)), "being written");
        assert!(!watch.look(written(2, 12)), "still being written");
        assert!(watch.look(written(2, 12)), "written");
        assert!(!watch.look(written(2, 12)), "told");
    }

    #[test]
    fn a_file_that_is_missing_for_a_while_is_no_change() {
        let mut watch = Watch::new(written(1, 10));
        assert!(!watch.look(None));
        assert!(!watch.look(None));
        assert!(!watch.look(written(1, 10)));
        assert!(!watch.look(written(1, 10)), "the same file is back");
        assert!(!watch.look(None));
        assert!(!watch.look(written(3, 10)));
        assert!(watch.look(written(3, 10)), "another is there");
    }

    #[test]
    fn an_older_file_in_its_place_is_a_change() {
        let mut watch = Watch::new(written(5, 10));
        assert!(!watch.look(written(2, 10)));
        assert!(watch.look(written(2, 10)));
    }
}
