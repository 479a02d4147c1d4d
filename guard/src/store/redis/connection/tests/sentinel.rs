//! Sentinels.

use std::{
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    sync::atomic::{AtomicU16, Ordering},
    thread,
};

use redis_servers::Sentinels;

use super::{
    super::{Arrangement, Panel, servers},
    *,
};

/// Sentinels need a while to agree.
const FAILOVER: Duration = Duration::from_secs(20);

fn connect(sentinels: &Sentinels) -> Connections {
    connections(&sentinels.urls(), Some(sentinels.master_name()), false)
}

#[actix_web::test]
async fn the_sentinels_name_the_master_and_its_successor() {
    let sentinels = Sentinels::start();
    let connections = connect(&sentinels);
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    let master = sentinels.master();
    assert_eq!(
        master.command(&["GET", "k"]),
        Value::BulkString(b"1".into())
    );

    let killed = sentinels.kill_master();
    let took = recovered(&connections, "k").await;
    assert!(took < FAILOVER, "{took:?}");
    let successor = sentinels.wait_for_failover();
    assert_ne!(successor.port(), killed.port());
    count(&connections, "k").await.unwrap();
    let counted = successor.command(&["GET", "k"]);
    assert_ne!(counted, Value::Nil);

    // The old master comes back, and nobody goes there.
    killed.restart();
    sentinels.wait_until_complete();
    count(&connections, "k").await.unwrap();
    assert_ne!(successor.command(&["GET", "k"]), counted);
}

#[actix_web::test]
async fn a_master_that_steps_down_is_left() {
    let sentinels = Sentinels::start();
    let connections = connect(&sentinels);
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    let old = sentinels.master();
    sentinels.sentinels()[0].command(&["SENTINEL", "FAILOVER", sentinels.master_name()]);
    // Clients are thrown out at that moment, the tests' own as well.
    let is_replica = || {
        let role = old.try_command(&["ROLE"]);
        role.is_ok_and(|role| format!("{role:?}").contains("slave"))
    };
    until("the old master is a replica", is_replica).await;
    let took = recovered(&connections, "k").await;
    assert!(took < RECOVERY, "{took:?}");
}

#[actix_web::test]
async fn a_master_that_hangs_is_replaced() {
    let sentinels = Sentinels::start();
    let connections = connect(&sentinels);
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    let old = sentinels.master();
    old.suspend();
    let took = recovered(&connections, "k").await;
    assert!(took < FAILOVER, "{took:?}");
    let successor = sentinels.wait_for_failover();
    assert_ne!(successor.port(), old.port());
    // It wakes up, and takes itself to be the master for a while.
    old.resume();
    sentinels.wait_until_complete();
    recovered(&connections, "k").await;
    assert_eq!(old.info("role").as_deref(), Some("slave"));
}

#[actix_web::test]
async fn one_sentinel_that_answers_is_enough() {
    let sentinels = Sentinels::start();
    sentinels.sentinels()[0].suspend();
    sentinels.sentinels()[1].kill();
    let connections = connect(&sentinels);
    let (took, result) = timed(count(&connections, "k")).await;
    assert_eq!(result, Ok(Value::Int(1)));
    assert!(took < TIMEOUT, "{took:?}");
}

#[actix_web::test]
async fn the_password_is_that_of_the_master() {
    let sentinels = Sentinels::start_with_password("secret");
    let urls: Vec<String> = sentinels
        .sentinels()
        .iter()
        .map(|sentinel| sentinel.url_as("", "secret"))
        .collect();
    let right = connections(&urls, Some(sentinels.master_name()), false);
    assert_eq!(count(&right, "k").await, Ok(Value::Int(1)));
    let none: Vec<String> = sentinels
        .sentinels()
        .iter()
        .map(|sentinel| format!("redis://127.0.0.1:{}", sentinel.port()))
        .collect();
    let none = connections(&none, Some(sentinels.master_name()), false);
    let failure = count(&none, "k").await.unwrap_err();
    assert!(
        matches!(failure, Failure::Unauthenticated(_)),
        "{failure:?}"
    );
}

#[actix_web::test]
async fn a_master_that_nobody_knows_is_named() {
    let sentinels = Sentinels::start();
    let connections = connections(&sentinels.urls(), Some("nobody"), false);
    let failure = count(&connections, "k").await.unwrap_err();
    assert!(failure.to_string().contains("\"nobody\""), "{failure}");
}

/// A Sentinel that always names the same server.
fn stubborn_sentinel(port: u16) -> String {
    sentinel(&Arc::new(AtomicU16::new(port)))
}

/// A Sentinel that names whom it is told. Its threads end with the test process.
fn sentinel(port: &Arc<AtomicU16>) -> String {
    let port = Arc::clone(port);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("redis://{}", listener.local_addr().unwrap());
    let talk = move |mut stream: TcpStream, port: Arc<AtomicU16>| {
        let mut buffer = [0; 4096];
        while let Ok(length @ 1..) = stream.read(&mut buffer) {
            let said = String::from_utf8_lossy(&buffer[..length]);
            let mut reply = "+OK\r\n".repeat(said.matches("SETINFO").count());
            if said.contains("SENTINEL") {
                let port = port.load(Ordering::SeqCst).to_string();
                reply += &format!("*2\r\n$9\r\n127.0.0.1\r\n${}\r\n{port}\r\n", port.len());
            }
            stream.write_all(reply.as_bytes()).unwrap();
        }
    };
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let port = Arc::clone(&port);
            thread::spawn(move || talk(stream, port));
        }
    });
    url
}

#[actix_web::test]
async fn a_sentinel_that_names_a_replica_is_not_believed() {
    let master = Server::start();
    let replica = Server::builder().replica_of(&master).start();
    let wrong = stubborn_sentinel(replica.port());
    let misled = connections(std::slice::from_ref(&wrong), Some("m"), false);
    assert_eq!(count(&misled, "k").await, Err(Failure::ReadOnly));
    let right = stubborn_sentinel(master.port());
    for urls in [[wrong.clone(), right.clone()], [right, wrong]] {
        let connections = connections(&urls, Some("m"), false);
        count(&connections, "k").await.unwrap();
    }
}

fn panel(connections: &Connections) -> Panel {
    match &connections.shared.servers.arrangement {
        Arrangement::Sentinel(watched) => super::super::Sentinels::new(watched).panel(),
        other => panic!("{other:?}"),
    }
}

/// Three Sentinels that name this server, with the ports that they name, and all that asks them.
fn three_sentinels(server: &Server) -> ([Arc<AtomicU16>; 3], Connections, Panel) {
    let named = std::array::from_fn(|_| Arc::new(AtomicU16::new(server.port())));
    let connections = connections(&named.each_ref().map(sentinel), Some("m"), false);
    let panel = panel(&connections);
    (named, connections, panel)
}

fn as_named(server: &Server) -> servers::Server {
    let servers = Servers::parse(&[server.url()], None, false, TIMEOUT).unwrap();
    match servers.arrangement {
        Arrangement::Single(server) => server,
        other => panic!("{other:?}"),
    }
}

#[actix_web::test]
async fn whom_most_sentinels_name_is_asked_although_the_old_master_would_go_on() {
    let (old, new) = (Server::start(), Server::start());
    let (named, connections, mut panel) = three_sentinels(&old);
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));
    let first = as_named(&old);

    // One of three may be wrong.
    named[1].store(new.port(), Ordering::SeqCst);
    for calls in 2..5 {
        assert!(!panel.have_replaced(&first, TIMEOUT).await);
        assert_eq!(count(&connections, "k").await, Ok(Value::Int(calls)));
    }

    named[0].store(new.port(), Ordering::SeqCst);
    assert!(panel.have_replaced(&first, TIMEOUT).await);
    // The third is not believed, however often a connection is made anew.
    for calls in 1..10 {
        assert_eq!(count(&connections, "k").await, Ok(Value::Int(calls)));
        new.command(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        recovered(&connections, "other").await;
    }
    assert_eq!(old.command(&["GET", "k"]), Value::BulkString(b"4".into()));
}

#[actix_web::test]
async fn a_sentinel_that_contradicts_the_others_is_believed_when_their_master_is_gone() {
    let (old, new) = (Server::start(), Server::start());
    let (named, connections, mut panel) = three_sentinels(&old);
    count(&connections, "k").await.unwrap();
    assert!(panel.have_replaced(&as_named(&new), TIMEOUT).await);
    old.kill();
    named[2].store(new.port(), Ordering::SeqCst);
    let took = recovered(&connections, "k").await;
    assert!(took < RECOVERY, "{took:?}");
    assert_ne!(new.command(&["GET", "k"]), Value::Nil);
}
