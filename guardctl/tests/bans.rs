//! `guardctl bans` against real servers.

mod support;

use redis_servers::{Cluster, Sentinels, Server};
use support::{Done, Folder, guardctl};

fn bans(url: &str, arguments: &[&str]) -> Done {
    let arguments: Vec<&str> = ["bans"].iter().chain(arguments).copied().collect();
    guardctl(&[&arguments[..], &["--store", url]].concat())
}

#[test]
fn a_ban_is_added_shown_listed_and_lifted() {
    let server = Server::start();
    let url = server.url();
    let done = bans(&url, &["list"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "Nobody is banned.\n"),
        "{}",
        done.err
    );

    let done = bans(
        &url,
        &[
            "add",
            "203.0.113.9",
            "--for",
            "10m",
            "--reason",
            "scraping\u{1b}[31m",
        ],
    );
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(
        done.out.contains("203.0.113.9") && done.out.contains("scraping\\u{1b}[31m"),
        "{}",
        done.out
    );
    let value = server.command(&["GET", "guard:banned_ips:203.0.113.9"]);
    assert!(format!("{value:?}").contains("manual"), "{value:?}");

    assert_eq!(bans(&url, &["add", "2001:db8:1:2::9"]).code, 0);
    let done = bans(&url, &["list", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(list[0]["client"], "203.0.113.9");
    assert_eq!(list[0]["reason"], "scraping\u{1b}[31m");
    assert_eq!(list[1]["client"], "2001:db8:1:2::/64");
    assert_eq!(
        (list[1]["by"].as_str(), list.as_array().unwrap().len()),
        (Some("manual"), 2)
    );

    let done = bans(&url, &["show", "2001:DB8:1:2::77"]);
    let line = format!("redis-cli -u {url} DEL guard:banned_ips:2001:db8:1:2::/64\n");
    assert!(done.code == 0 && done.out.contains(&line), "{}", done.out);
    assert!(done.out.contains("by hand"), "{}", done.out);

    let done = bans(&url, &["lift", "2001:db8:1:2::1"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "lifted: 2001:db8:1:2::1\n")
    );
    for command in ["lift", "show"] {
        let done = bans(&url, &[command, "2001:db8:1:2::1"]);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{command}");
        assert_eq!(done.err, "address: \"2001:db8:1:2::1\" is not banned\n");
    }
}

#[test]
fn a_configuration_says_where_bans_are() {
    let server = Server::builder().password("secret").start();
    let folder = Folder::new();
    let toml = format!(
        "store = \"{}\"\nredis_prefix = \"app:\"\npassive = true\n",
        server.url()
    );
    let config = folder.file("guard.toml", toml);
    let place = ["--config", &config];
    let call = |arguments: &[&str]| guardctl(&[&["bans"], arguments, &place[..]].concat());
    assert_eq!(call(&["add", "203.0.113.9"]).code, 0);
    let done = call(&["show", "203.0.113.9"]);
    assert!(
        done.out
            .contains(" GET app:passive:banned_ips:203.0.113.9\n"),
        "{}",
        done.out
    );
    assert!(!done.out.contains("secret"), "{}", done.out);
    let exists = server.command(&["EXISTS", "app:passive:banned_ips:203.0.113.9"]);
    assert_eq!(
        exists,
        server.command(&["EXISTS", "app:passive:banned_ips:203.0.113.9", "other"])
    );
    assert_eq!(format!("{exists:?}"), "int(1)");
    // An argument goes before the file.
    let done = guardctl(&["bans", "list", "--config", &config, "--prefix", "other:"]);
    assert_eq!(done.out, "Nobody is banned.\n");
}

#[test]
fn sentinels_and_clusters_are_asked_as_the_configuration_says() {
    let folder = Folder::new();
    let sentinels = Sentinels::start();
    let of_sentinels = format!(
        "store = {:?}\nredis_sentinel_master = \"{}\"\n",
        sentinels.urls(),
        sentinels.master_name()
    );
    let cluster = Cluster::start();
    let of_cluster = format!("store = {:?}\nredis_cluster = true\n", cluster.urls());
    for (name, toml) in [
        ("sentinels.toml", of_sentinels),
        ("cluster.toml", of_cluster),
    ] {
        let config = folder.file(name, toml);
        let call =
            |arguments: &[&str]| guardctl(&[&["bans"], arguments, &["--config", &config]].concat());
        for address in ["203.0.113.1", "203.0.113.2", "203.0.113.3"] {
            let done = call(&["add", address]);
            assert_eq!(done.code, 0, "{name}: {}", done.err);
        }
        assert_eq!(call(&["list"]).out.lines().count(), 4, "{name}");
        assert_eq!(call(&["lift", "203.0.113.2"]).code, 0, "{name}");
        assert_eq!(call(&["list"]).out.lines().count(), 3, "{name}");
    }
}

#[test]
fn a_store_that_does_not_answer_is_said_to_be_out_of_reach() {
    let server = Server::start();
    let url = server.url();
    server.kill();
    let protected = Server::builder().password("secret").start();
    let wrong = protected.url_as("", "wrong");
    assert_eq!(bans(&url, &["add", "nobody"]).code, 2);
    for (url, arguments) in [
        (&url, vec!["list"]),
        (&url, vec!["show", "203.0.113.9"]),
        (&url, vec!["add", "203.0.113.9"]),
        (&url, vec!["lift", "203.0.113.9"]),
        (&wrong, vec!["list"]),
    ] {
        let done = bans(url, &arguments);
        assert_eq!(
            (done.code, done.out.as_str()),
            (3, ""),
            "{arguments:?}: {}",
            done.err
        );
        assert!(
            done.err.starts_with("store: redis://") && done.err.ends_with(" is out of reach\n"),
            "{}",
            done.err
        );
        assert!(!done.err.contains("wrong"), "{}", done.err);
    }
}

#[test]
fn what_a_master_of_a_cluster_has_is_not_said_to_be_nothing_while_it_is_out_of_reach() {
    let cluster = Cluster::start_without_failover();
    let folder = Folder::new();
    let toml = format!("store = {:?}\nredis_cluster = true\n", cluster.urls());
    let config = folder.file("guard.toml", toml);
    let call =
        |arguments: &[&str]| guardctl(&[&["bans"], arguments, &["--config", &config]].concat());
    let master = |address: &str| {
        let master = cluster.master_of_key(&format!("guard:banned_ips:{{{address}}}"));
        master.port()
    };
    let lost = "203.0.113.1";
    let others = (2..).map(|number| format!("203.0.113.{number}"));
    let other = others.clone().find(|other| master(other) != master(lost));
    let other = other.unwrap();
    for address in [lost, &other] {
        assert_eq!(call(&["add", address]).code, 0);
    }
    cluster
        .master_of_key(&format!("guard:banned_ips:{{{lost}}}"))
        .kill();

    for arguments in [["show", lost], ["add", lost], ["lift", lost]] {
        let done = call(&arguments);
        assert_eq!((done.code, done.out.as_str()), (3, ""), "{arguments:?}");
        assert!(done.err.starts_with("store: a master of the Cluster of "));
    }
    assert_eq!(call(&["show", &other]).code, 0);
    // The others' bans are listed, and that they are not all is said.
    let done = call(&["list"]);
    assert_eq!(
        (done.code, done.out.lines().count()),
        (3, 2),
        "{}",
        done.out
    );
    assert!(done.out.contains(&other) && done.err.ends_with(" is out of reach\n"));
    assert_eq!(call(&["lift", &other]).code, 0);
}

#[test]
fn bad_arguments_are_told_apart() {
    let server = Server::start();
    let url = server.url();
    for (arguments, expected) in [
        (
            vec!["show", "localhost"],
            "address: \"localhost\" is not an address\n",
        ),
        (
            vec!["add", "203.0.113.9", "--for", "0s"],
            "duration: a ban lasts from 1 second to 10 years, not 0ns\n",
        ),
    ] {
        let done = bans(&url, &arguments);
        assert_eq!((done.code, done.err.as_str()), (2, expected));
    }
    assert_eq!(guardctl(&["bans", "list"]).code, 2);
    let done = bans("redis://", &["list"]);
    assert_eq!(done.code, 2, "{}", done.err);
    let folder = Folder::new();
    let config = folder.file("guard.toml", "rate_limit = 5\n");
    let done = guardctl(&["bans", "list", "--config", &config]);
    assert_eq!(done.code, 2);
    assert!(done.err.starts_with("store: \"memory\""), "{}", done.err);
}
