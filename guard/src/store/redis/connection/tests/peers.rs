//! Peers that are no Redis servers, or broken ones.

use std::{
    io::{Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    thread,
};

use proptest::prelude::*;

use super::*;

/// A peer that does the same with each connection. Its thread ends with the test process.
fn peer(act: impl Fn(TcpStream) + Send + Sync + 'static) -> Connections {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let act = Arc::new(act);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let act = Arc::clone(&act);
            thread::spawn(move || act(stream));
        }
    });
    single(&format!("redis://127.0.0.1:{port}"))
}

/// A peer that says something to each request, whatever it is, and keeps the connection.
fn parrot(says: Vec<u8>) -> Connections {
    peer(move |mut stream| {
        let mut buffer = [0; 4096];
        while stream.read(&mut buffer).is_ok_and(|read| read > 0) {
            if stream.write_all(&says).is_err() {
                return;
            }
        }
    })
}

/// Some calls, one after the other: each fails in time.
async fn fails(what: &str, connections: &Connections) -> Vec<Failure> {
    let mut failures = Vec::new();
    for _ in 0..5 {
        let (_, result) = timed(count(connections, "k")).await;
        match result {
            Ok(value) => panic!("{what}: {value:?}"),
            Err(failure) => failures.push(failure),
        }
        tokio::time::sleep(Duration::from_millis(60)).await;
    }
    failures
}

#[actix_web::test]
async fn a_peer_that_closes_is_left_in_peace() {
    let closed = fails("closes", &peer(drop)).await;
    assert_eq!(closed[0], Failure::Disconnected);
    assert!(closed.contains(&Failure::Unavailable), "{closed:?}");

    let half = peer(|mut stream| {
        stream.write_all(b"+OK\r\n+O").unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
    });
    fails("half a reply", &half).await;
}

#[actix_web::test]
async fn a_web_server_is_no_redis() {
    let http = parrot(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n".to_vec());
    let failures = fails("HTTP", &http).await;
    assert!(matches!(failures[0], Failure::Protocol(_)), "{failures:?}");
}

#[actix_web::test]
async fn a_peer_that_says_nothing_is_not_waited_for() {
    let silent = peer(|stream| {
        thread::park();
        drop(stream);
    });
    let failures = fails("silence", &silent).await;
    assert_eq!(failures[0], Failure::TimedOut);
}

#[actix_web::test]
async fn nonsense_is_no_reply() {
    let nested = b"*1\r\n".repeat(100_000);
    let cases: [(&str, &[u8]); 12] = [
        ("zeros", &[0; 64]),
        ("a text of unknown length", b"$x\r\n"),
        ("an endless text", b"$9223372036854775807\r\nabc\r\n"),
        ("an endless list", b"*9223372036854775807\r\n:1\r\n"),
        ("a long list", b"*2147483647\r\n:1\r\n"),
        ("an endless map", b"%9223372036854775807\r\n:1\r\n"),
        ("a map of less than nothing", b"%-1\r\n"),
        ("a text of less than nothing", b"=-1\r\n"),
        ("lists in lists", &nested),
        ("a number that is none", b":99999999999999999999\r\n"),
        ("a text that ends elsewhere", b"$3\r\nabcdef\r\n"),
        ("not UTF-8", b"+\xff\xfe\r\n-\xff\r\n"),
    ];
    for (what, says) in cases {
        fails(what, &parrot(says.to_vec())).await;
    }
}

#[actix_web::test]
async fn a_peer_that_never_stops_talking_is_not_listened_to() {
    let chatter = peer(|mut stream| {
        let says = vec![b'$'; 4096];
        while stream.write_all(&says).is_ok() {}
    });
    fails("chatter", &chatter).await;
    let long_text = peer(|mut stream| {
        stream.write_all(b"$9223372036854775807\r\n").ok();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    fails("a text without end", &long_text).await;
}

#[actix_web::test]
async fn replies_that_nobody_asked_for_do_no_harm() {
    let eager = peer(|mut stream| {
        stream.write_all(&b"+OK\r\n".repeat(10)).ok();
        thread::park();
    });
    let (_, _) = timed(count(&eager, "k")).await;
}

proptest! {
    #[test]
    fn the_parser_does_not_panic(
        bytes in proptest::collection::vec(
            proptest::sample::select(b"+-:$*%|~_,#!=(>0123456789tf\r\n\r\n\r\n ab\xff".to_vec()),
            0..64,
        )
    ) {
        let parsed = ::redis::parse_redis_value(&bytes);
        if let Ok(value) = parsed {
            super::super::reply::Reply::of(value).ok();
        }
    }
}
