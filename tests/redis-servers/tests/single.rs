//! Single servers.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::{fs, net::TcpListener, thread, time::Duration};

use redis::{Client, Connection, ConnectionLike, RedisResult, TlsCertificates, Value};
use redis_servers::Server;

/// As a client of the port, not as the administrator.
fn connect(url: &str) -> RedisResult<Connection> {
    Client::open(url)?.get_connection_with_timeout(Duration::from_secs(5))
}

fn get(url: &str, key: &str) -> RedisResult<Option<String>> {
    redis::cmd("GET").arg(key).query(&mut connect(url)?)
}

fn connect_tls(url: String, ca: &Server) -> RedisResult<Connection> {
    let certificates = TlsCertificates {
        client_tls: None,
        root_cert: Some(fs::read(ca.ca_path()).unwrap()),
    };
    Client::build_with_tls(url, certificates)?.get_connection_with_timeout(Duration::from_secs(5))
}

fn is_refused(url: &str) -> bool {
    connect(url).is_err_and(|error| error.is_connection_refusal())
}

fn is_pong(connection: &mut Connection) -> bool {
    connection.check_connection()
}

#[test]
fn a_server_answers_on_its_port() {
    let server = Server::start();
    server.command(&["SET", "key", "value"]);
    assert_eq!(get(&server.url(), "key").unwrap().as_deref(), Some("value"));
}

#[test]
fn servers_are_apart() {
    let (one, other) = (Server::start(), Server::start());
    one.command(&["SET", "key", "value"]);
    assert_ne!(one.port(), other.port());
    assert_eq!(other.command(&["GET", "key"]), Value::Nil);
}

#[test]
fn nothing_is_persisted_unless_asked_for() {
    let server = Server::start();
    let durable = Server::builder().config("appendonly", "yes").start();
    for server in [&server, &durable] {
        server.command(&["SET", "key", "value"]);
        server.stop();
        server.restart();
    }
    assert_eq!(get(&server.url(), "key").unwrap(), None);
    assert_eq!(
        get(&durable.url(), "key").unwrap().as_deref(),
        Some("value")
    );
}

#[test]
fn a_killed_server_refuses_and_comes_back_on_its_port() {
    let server = Server::start();
    let (url, pid) = (server.url(), server.pid());
    server.kill();
    assert!(!server.is_running());
    assert!(is_refused(&url));
    server.restart();
    assert!(server.is_running());
    assert_eq!(server.url(), url);
    assert_ne!(server.pid(), pid);
    assert!(is_pong(&mut connect(&url).unwrap()));
}

#[test]
fn a_stopped_server_comes_back_on_its_port() {
    let server = Server::start();
    server.stop();
    assert!(is_refused(&server.url()));
    assert!(server.log().contains("bye bye"), "{}", server.log());
    server.restart();
    assert!(is_pong(&mut connect(&server.url()).unwrap()));
}

#[test]
fn a_server_that_ended_by_itself_can_be_restarted() {
    let server = Server::start();
    server.try_command(&["SHUTDOWN", "NOSAVE"]).unwrap_err();
    server.restart();
    assert!(is_pong(&mut connect(&server.url()).unwrap()));
}

#[test]
fn a_restart_waits_for_the_port() {
    let server = Server::start();
    server.kill();
    let holder = TcpListener::bind(("127.0.0.1", server.port())).unwrap();
    let said = server.log().len();
    thread::scope(|scope| {
        let restart = scope.spawn(|| server.restart());
        while !server.log()[said..].contains("listening socket") {
            assert!(!restart.is_finished());
            thread::yield_now();
        }
        drop(holder);
    });
    assert!(is_pong(&mut connect(&server.url()).unwrap()));
}

#[test]
fn a_suspended_server_is_silent_until_it_is_resumed() {
    let server = Server::start();
    let mut connection = connect(&server.url()).unwrap();
    connection
        .set_read_timeout(Some(Duration::from_millis(200)))
        .unwrap();
    server.suspend();
    assert!(server.is_running());
    let error = redis::cmd("PING").exec(&mut connection).unwrap_err();
    assert!(error.is_timeout(), "{error}");
    server.resume();
    assert!(is_pong(&mut connect(&server.url()).unwrap()));
}

#[test]
fn a_suspended_server_can_be_killed_and_stopped() {
    let server = Server::start();
    for end in [Server::kill, Server::stop] {
        server.suspend();
        end(&server);
        assert!(!server.is_running());
        server.restart();
        assert!(is_pong(&mut connect(&server.url()).unwrap()));
    }
}

#[test]
fn the_url_has_the_password() {
    let server = Server::builder().password("p@ss: \"w/rd\" %").start();
    assert_eq!(get(&server.url(), "key").unwrap(), None);
    assert!(connect(&server.url_as("", "wrong")).is_err());
    let without = format!("redis://127.0.0.1:{}", server.port());
    let error = get(&without, "key").unwrap_err();
    assert_eq!(error.code(), Some("NOAUTH"));
}

#[test]
fn users_have_their_passwords_and_rules() {
    let server = Server::builder()
        .acl_user("guard", "s3cr et", "~guard:* +@all -@dangerous")
        .start();
    let url = server.url_as("guard", "s3cr et");
    assert_eq!(get(&url, "guard:key").unwrap(), None);
    assert_eq!(get(&url, "other").unwrap_err().code(), Some("NOPERM"));
    assert!(connect(&server.url_as("guard", "wrong")).is_err());
}

#[test]
fn the_administrator_gets_in_whatever_happens_to_passwords() {
    let server = Server::builder().password("old").start();
    server.command(&["CONFIG", "SET", "requirepass", "new"]);
    server.command(&["ACL", "SETUSER", "default", "off"]);
    assert!(connect(&server.url()).is_err());
    server.command(&["PING"]);
}

#[test]
fn tls_is_verified_with_the_servers_authority() {
    let (server, other) = (
        Server::builder().tls().password("secret").start(),
        Server::builder().tls().start(),
    );
    assert!(server.url().starts_with("rediss://"));
    assert!(is_pong(&mut connect_tls(server.url(), &server).unwrap()));
    let error = connect_tls(server.url(), &other).err().unwrap().to_string();
    assert!(error.contains("invalid peer certificate"), "{error}");
    let plain = format!("redis://:secret@127.0.0.1:{}", server.port());
    assert!(connect(&plain).is_err());
}

#[test]
fn a_replica_has_what_its_master_has() {
    let master = Server::builder().password("secret").start();
    master.command(&["SET", "key", "value"]);
    let replica = Server::builder().replica_of(&master).start();
    assert_eq!(replica.info("role").as_deref(), Some("slave"));
    assert_eq!(
        get(&replica.url(), "key").unwrap().as_deref(),
        Some("value")
    );
}

#[test]
fn the_replica_of_a_server_with_tls_has_the_same_authority() {
    let master = Server::builder().tls().start();
    let replica = Server::builder().replica_of(&master).start();
    assert!(is_pong(&mut connect_tls(replica.url(), &master).unwrap()));
}

#[test]
#[should_panic(expected = "unknown command")]
fn an_error_is_a_panic_that_tells_it() {
    Server::start().command(&["NONSENSE"]);
}

#[test]
#[should_panic(expected = "Bad directive")]
fn a_bad_configuration_is_a_panic_that_tells_it() {
    let _server = Server::builder().config("nonsense", "yes").start();
}
