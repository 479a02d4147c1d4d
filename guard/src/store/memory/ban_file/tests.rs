use std::{
    net::Ipv4Addr,
    sync::atomic::{AtomicU32, AtomicU64, Ordering},
};

use crate::{
    bans::Ban,
    clock::Clock,
    decision::{Answer, Store as _},
    store::{
        MemoryStore, MemoryStoreOptions,
        contract::{ALICE, Ask, BOB, RULES},
    },
};

use super::*;

const HOUR: Duration = Duration::from_secs(3600);

/// A directory of a test's own, removed with it.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!(
            "actix-web-guard-ban-file-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    fn file(&self) -> PathBuf {
        self.0.join("bans.json")
    }

    /// What lies in it.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// A machine: its wall clock goes on while the process is down, its monotonic clock starts anew with each process.
#[derive(Debug)]
struct Machine {
    monotonic: AtomicU64,
    wall: AtomicU64,
}

impl Machine {
    fn booted_at(monotonic: u64, wall: Duration) -> Arc<Self> {
        Arc::new(Self {
            monotonic: AtomicU64::new(monotonic),
            wall: AtomicU64::new(crate::clock::millis(wall)),
        })
    }

    fn advance(&self, by: Duration) {
        let by = crate::clock::millis(by);
        self.monotonic.fetch_add(by, Ordering::SeqCst);
        self.wall.fetch_add(by, Ordering::SeqCst);
    }
}

impl Clock for Machine {
    fn now_millis(&self) -> u64 {
        self.monotonic.load(Ordering::SeqCst)
    }

    fn wall(&self) -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(self.wall.load(Ordering::SeqCst))
    }
}

/// The wall clock of most tests.
const TODAY: Duration = Duration::from_secs(1_767_225_600);

fn open(file: PathBuf, clock: &Arc<Machine>) -> MemoryStore {
    let options = MemoryStoreOptions {
        max_clients: 1000,
        max_bans: 100,
        ban_file: Some(file),
    };
    MemoryStore::new(&options, Arc::clone(clock) as _)
}

fn at_once<T>(answer: Answer<T>) -> T {
    match answer {
        Answer::Ready(value) => value,
        Answer::Later(_) => panic!("the memory store has nothing to wait for"),
    }
}

fn ban(store: &MemoryStore, client: ClientKey, length: Duration, reason: &str) -> Ban {
    at_once(store.ban(client, crate::clock::millis(length), reason))
}

fn bans(store: &MemoryStore) -> Vec<Ban> {
    at_once(store.bans())
}

/// The bans that a process finds that starts with such a file.
fn bans_found(text: &[u8]) -> (Vec<Ban>, Vec<String>) {
    let directory = Directory::new();
    fs::write(directory.file(), text).unwrap();
    let store = open(directory.file(), &Machine::booted_at(1 << 40, TODAY));
    (bans(&store), directory.names())
}

#[test]
fn bans_outlive_the_process_and_end_when_they_would_have() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    let store = open(directory.file(), &clock);
    ban(&store, ALICE, 2 * HOUR, "quotes \" and\nlines");
    ban(&store, BOB, HOUR / 2, "short");
    clock.advance(HOUR / 4);
    let before = at_once(store.ban_of(ALICE)).unwrap();
    drop(store);

    // Down for another quarter, and a bit; the new process has a monotonic clock of its own.
    let clock = Machine::booted_at(5, TODAY + HOUR / 2);
    let store = open(directory.file(), &clock);
    let [after] = bans(&store).try_into().unwrap();
    assert_eq!(after.remaining, HOUR * 3 / 2);
    // A monotonic clock that has just started cannot tell when the ban began, only when it ends.
    assert_eq!(
        Ban {
            remaining: before.remaining,
            since: before.since,
            ..after
        },
        before
    );
    assert_eq!(store.hot_ban(BOB), None);
    clock.advance(HOUR * 3 / 2);
    assert!(bans(&store).is_empty());
    assert!(store.hot_ban(ALICE).is_none());
}

#[test]
fn a_wall_clock_that_is_behind_makes_no_ban_longer() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    let store = open(directory.file(), &clock);
    ban(&store, ALICE, HOUR, "before the clock was set");
    drop(store);

    for wall in [Duration::ZERO, TODAY - HOUR, TODAY] {
        let clock = Machine::booted_at(1 << 40, wall);
        let store = open(directory.file(), &clock);
        let [ban] = bans(&store).try_into().unwrap();
        assert_eq!(ban.remaining, HOUR, "{wall:?}");
        clock.advance(HOUR);
        assert_eq!(store.hot_ban(ALICE), None, "{wall:?}");
    }
}

#[test]
fn everything_about_a_ban_is_as_it_was() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    let store = open(directory.file(), &clock);
    let key = |text, prefix| ClientKey::parse(text, prefix).unwrap();
    for client in [
        ALICE,
        key("2001:db8:1:2::", 64),
        key("2001:db8::", 32),
        key("2001:db8::1", 128),
        key("::", 1),
    ] {
        ban(&store, client, HOUR, "by hand");
        clock.advance(Duration::from_secs(1));
        let threat = Ask::threat(BOB, "a probe").struck(RULES);
        at_once(threat.put(&store));
    }
    let before = bans(&store);
    assert_eq!(before.len(), 6);
    drop(store);
    let store = open(
        directory.file(),
        &Machine::booted_at(1 << 41, TODAY + Duration::from_secs(5)),
    );
    assert_eq!(bans(&store), before);
    // The keys are the same, not only their names.
    assert!(store.hot_ban(key("2001:db8:1:2:3::4", 64)).is_some());
    assert!(store.hot_ban(key("2001:db8:1:2:3::4", 128)).is_none());
    assert!(store.hot_ban(key("2001:db8::1", 128)).is_some());
    assert!(store.hot_ban(BOB).is_some());
}

#[test]
fn every_change_reaches_the_file() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    let reopened = |change: &dyn Fn(&MemoryStore)| {
        let store = open(directory.file(), &clock);
        change(&store);
        drop(store);
        let mut clients: Vec<String> = bans(&open(directory.file(), &clock))
            .into_iter()
            .map(|ban| ban.client)
            .collect();
        clients.sort();
        clients
    };
    let (alice, bob) = (ALICE.to_string(), BOB.to_string());
    let set = reopened(&|store| {
        ban(store, BOB, HOUR, "by hand");
    });
    assert_eq!(set, std::slice::from_ref(&bob));
    // An automatic ban as well.
    let threat = Ask::threat(ALICE, "a probe").struck(RULES);
    let struck = reopened(&|store| {
        for _ in 0..3 {
            at_once(threat.put(store));
        }
    });
    assert_eq!(struck, [bob, alice.clone()]);
    let lifted = reopened(&|store| assert!(at_once(store.unban(BOB))));
    assert_eq!(lifted, [alice]);
}

#[test]
fn the_file_is_replaced_as_a_whole() {
    let directory = Directory::new();
    let store = open(directory.file(), &Machine::booted_at(1 << 40, TODAY));
    // A file that is read at any moment is complete, although it is replaced again and again.
    for n in 0..50 {
        let client = ClientKey::V4(Ipv4Addr::from_bits(n));
        ban(&store, client, HOUR, &"x".repeat(1000));
        if let Err(error) = load(&directory.file()) {
            assert_eq!(error.kind(), io::ErrorKind::NotFound);
        }
    }
    drop(store);
    assert_eq!(load(&directory.file()).unwrap().len(), 50);
    assert_eq!(directory.names(), ["bans.json"]);
}

#[test]
fn a_damaged_file_is_set_aside_and_the_store_starts() {
    let whole =
        br#"[{"client":"1.2.3.4","reason":"r","since":0,"until":99999999999999,"by":"manual"}]"#;
    assert_eq!(bans_found(whole).0.len(), 1);
    for damaged in [
        &b""[..],
        b"\0\xff garbage",
        b"{}",
        b"[",
        &whole[..whole.len() / 2],
        &whole[..whole.len() - 1],
        br#"[{"client":"1.2.3.4"}]"#,
        br#"[{"client":"1.2.3.4","reason":"r","since":-1,"until":99999999999999,"by":"manual"}]"#,
    ] {
        let (bans, names) = bans_found(damaged);
        assert_eq!(bans, [], "{}", damaged.escape_ascii());
        assert_eq!(names, ["bans.json.damaged"], "{}", damaged.escape_ascii());
    }
}

#[test]
fn what_was_set_aside_is_kept_and_the_file_begins_anew() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    fs::write(directory.file(), "garbage").unwrap();
    ban(&open(directory.file(), &clock), ALICE, HOUR, "by hand");
    assert_eq!(directory.names(), ["bans.json", "bans.json.damaged"]);
    let aside = fs::read_to_string(directory.0.join("bans.json.damaged"));
    assert_eq!(aside.unwrap(), "garbage");
    assert_eq!(bans(&open(directory.file(), &clock)).len(), 1);
}

#[test]
fn a_directory_in_its_place_is_set_aside() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    fs::create_dir(directory.file()).unwrap();
    ban(&open(directory.file(), &clock), ALICE, HOUR, "by hand");
    assert_eq!(directory.names(), ["bans.json", "bans.json.damaged"]);
    assert_eq!(bans(&open(directory.file(), &clock)).len(), 1);
}

/// A link to itself: nobody can read it, root included.
#[cfg(unix)]
#[test]
fn a_file_that_cannot_be_read_is_set_aside() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    std::os::unix::fs::symlink(directory.file(), directory.file()).unwrap();
    ban(&open(directory.file(), &clock), ALICE, HOUR, "by hand");
    assert_eq!(directory.names(), ["bans.json", "bans.json.damaged"]);
    assert_eq!(bans(&open(directory.file(), &clock)).len(), 1);
}

#[test]
fn where_nothing_can_be_written_the_store_works_without_the_file() {
    let directory = Directory::new();
    let clock = Machine::booted_at(1 << 40, TODAY);
    fs::write(directory.0.join("plain"), "").unwrap();
    for missing in ["nowhere/bans.json", "plain/bans.json"] {
        let store = open(directory.0.join(missing), &clock);
        ban(&store, ALICE, HOUR, "by hand");
        assert_eq!(bans(&store).len(), 1, "{missing}");
    }
    assert_eq!(directory.names(), ["plain"]);
}

#[test]
fn what_is_no_address_or_no_longer_banned_is_left_out() {
    let until = |seconds: u64| (TODAY.as_secs() + seconds) * 1000;
    let entry = |client: &str, until: u64| {
        format!(r#"{{"client":"{client}","reason":"r","since":0,"until":{until},"by":"manual"}}"#)
    };
    let entries = [
        entry("1.2.3.4", until(1)),
        entry("1.2.3.5", until(0)),
        entry("1.2.3.6", 0),
        entry("localhost", until(1)),
        entry("", until(1)),
        entry("1.2.3.0/24", until(1)),
        entry("2001:db8::/129", until(1)),
        entry("2001:db8::/x", until(1)),
        // The same network in another spelling.
        entry("2001:0DB8::7/64", until(u64::from(u32::MAX))),
    ];
    let (bans, names) = bans_found(format!("[{}]", entries.join(",")).as_bytes());
    let clients: Vec<String> = bans.into_iter().map(|ban| ban.client).collect();
    assert_eq!(clients, ["1.2.3.4", "2001:db8::/64"]);
    assert_eq!(names, ["bans.json"]);
}

#[test]
fn the_largest_numbers_are_no_trouble() {
    let text = format!(
        r#"[{{"client":"1.2.3.4","reason":"r","since":0,"until":{0},"by":"who knows"}},
            {{"client":"1.2.3.5","reason":"none","since":{0},"until":{0},"by":"manual"}}]"#,
        u64::MAX
    );
    let (bans, _) = bans_found(text.as_bytes());
    assert_eq!(bans.len(), 1);
    assert_eq!(bans[0].by, BanSource::Automatic);
}

#[test]
fn a_file_with_too_many_bans_keeps_those_that_end_last() {
    let entries: Vec<String> = (0..150)
        .map(|n| {
            let until = (TODAY.as_secs() + 1 + n) * 1000;
            format!(r#"{{"client":"10.0.0.{n}","reason":"{n}","since":0,"until":{until},"by":"manual"}}"#)
        })
        .collect();
    let (bans, _) = bans_found(format!("[{}]", entries.join(",")).as_bytes());
    assert_eq!(bans.len(), 100);
    assert_eq!(bans[0].reason, "50");
}
