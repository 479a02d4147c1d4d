//! Who runs on which processor: the server has one to itself, all else shares the others. Where the system decides, both wander, and
//! the figures with them.
//!
//! Must not know: what is measured.

use std::{
    fs, io,
    process::{self, Command},
};

/// Moves this process, with those that it starts from now on, away from the server's processor. Returns what is put before the
/// server's command line; nothing, where there is one processor only, or no `taskset`.
pub(crate) fn set_apart() -> Vec<String> {
    match keep_to_others() {
        Ok(first) => ["taskset", "--cpu-list", &first].map(str::to_owned).into(),
        Err(error) => {
            eprintln!("the server has no processor to itself: {error}");
            Vec::new()
        }
    }
}

/// Returns the processor that is left alone.
fn keep_to_others() -> io::Result<String> {
    let status = fs::read_to_string("/proc/self/status")?;
    let allowed = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed_list:"))
        .and_then(|list| split_first(list.trim()));
    let (first, others) = allowed.ok_or_else(|| io::Error::other("it is the only one"))?;
    let moved = Command::new("taskset")
        .args(["--pid", "--cpu-list", &others, &process::id().to_string()])
        .output()?;
    if moved.status.success() {
        Ok(first)
    } else {
        Err(io::Error::other("taskset failed"))
    }
}

/// The first processor of a list such as `0-3,8`, and the others.
fn split_first(list: &str) -> Option<(String, String)> {
    let (range, rest) = match list.split_once(',') {
        Some((range, rest)) => (range, Some(rest)),
        None => (list, None),
    };
    let Some((first, last)) = range.split_once('-') else {
        return Some((range.to_owned(), rest?.to_owned()));
    };
    let second: usize = first.parse::<usize>().ok()? + 1;
    let last: usize = last.parse().ok()?;
    let others = [Some(format!("{second}-{last}")), rest.map(str::to_owned)];
    let others: Vec<String> = others.into_iter().flatten().collect();
    Some((first.to_owned(), others.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_processor_is_taken_out_of_the_list() {
        let split = |list| {
            let (first, others) = split_first(list)?;
            Some(format!("{first} {others}"))
        };
        assert_eq!(split("0-1").as_deref(), Some("0 1-1"));
        assert_eq!(split("2-7,9").as_deref(), Some("2 3-7,9"));
        assert_eq!(split("3,5-6").as_deref(), Some("3 5-6"));
        assert_eq!(split("0"), None);
    }
}
