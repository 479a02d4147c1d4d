//! Local windows, shared bans: three processes, each with limits of its own, and no request waits for Redis.

use redis_servers::Server;

use super::{
    monitor::Monitor,
    node::{A_SECOND, PATIENCE, eventually, number, text, until_told},
    processes::Process,
};

const PEER: &str = "192.0.2.1";

async fn three(server: &Server) -> Vec<Process> {
    let processes = (0..3).map(|_| Process::start(server)).collect();
    until_told(server, 3).await;
    processes
}

async fn all_answer(processes: &[Process], peer: &str, status: u16) -> bool {
    for process in processes {
        if process.status(peer, "GET /health").await != status {
            return false;
        }
    }
    true
}

async fn within_a_second(processes: &[Process], peer: &str, status: u16) {
    let what = format!("{status} for {peer} by all");
    eventually(&what, A_SECOND, async || {
        all_answer(processes, peer, status).await
    })
    .await;
}

#[actix_web::test]
async fn who_is_banned_by_one_process_is_refused_by_all_and_by_those_that_come_later() {
    let server = Server::start();
    let mut processes = three(&server).await;
    // Two strikes, and the ban.
    let statuses = processes[0].statuses(PEER, "GET /other", 9).await;
    assert_eq!(statuses, [200, 200, 200, 200, 200, 429, 429, 403, 403]);
    within_a_second(&processes, PEER, 403).await;
    for process in &processes {
        for request in ["GET /other", "GET /public", "POST /items/1", "GET /.env"] {
            assert_eq!(process.status(PEER, request).await, 403);
        }
        assert_eq!(process.status("192.0.2.2", "GET /other").await, 200);
    }
    let key = "guard:banned_ips:192.0.2.1";
    let ban: serde_json::Value = serde_json::from_str(&text(&server, &["GET", key])).unwrap();
    assert_eq!(
        (&ban["reason"], &ban["by"]),
        (&"rate limit".into(), &"automatic".into())
    );
    let left = number(&server, &["TTL", key]);
    assert!((590..=600).contains(&left), "{left}");

    processes.push(Process::start(&server));
    within_a_second(&processes, PEER, 403).await;
    // Nobody has strikes of him afterwards, and his window is as it was in each of them.
    assert!(processes[1].unban(PEER).await);
    within_a_second(&processes, PEER, 200).await;
    for process in &processes {
        assert_eq!(process.statuses(PEER, "GET /.env", 2).await, [403; 2]);
        assert_eq!(process.status(PEER, "GET /health").await, 200);
    }
    assert_eq!(processes[3].status(PEER, "GET /.env").await, 403);
    within_a_second(&processes, PEER, 403).await;
}

#[actix_web::test]
async fn bans_of_all_origins_come_and_go_everywhere_within_a_second() {
    let server = Server::start();
    let processes = three(&server).await;
    let key = "guard:banned_ips:192.0.2.1";
    for command in [
        ["DEL", key].as_slice(),
        &["PEXPIRE", key, "1"],
        &["FLUSHALL"],
    ] {
        processes[0].ban(PEER, 600).await;
        within_a_second(&processes, PEER, 403).await;
        server.command(command);
        within_a_second(&processes, PEER, 200).await;
    }
    server.command(&["SET", key, "by redis-cli", "EX", "600"]);
    within_a_second(&processes, PEER, 403).await;
    assert!(processes[2].unban(PEER).await);
    within_a_second(&processes, PEER, 200).await;
    assert_eq!(number(&server, &["EXISTS", key]), 0);
    // One that is shortened by another process, and ends by itself.
    processes[0].ban(PEER, 600).await;
    within_a_second(&processes, PEER, 403).await;
    processes[1].ban(PEER, 2).await;
    eventually("the ban ends", PATIENCE, async || {
        all_answer(&processes, PEER, 200).await
    })
    .await;
}

#[actix_web::test]
async fn requests_send_nothing_to_redis_and_limits_are_those_of_each_process() {
    let server = Server::start();
    let processes = three(&server).await;
    eventually("each has read all bans", PATIENCE, async || {
        let scans = server.info("cmdstat_scan");
        scans.is_some_and(|scans| scans.starts_with("calls=3,"))
    })
    .await;
    let mut monitor = Monitor::start(&server).await;
    for process in &processes {
        for (request, limit) in [("GET /other", 5), ("GET /public", 5), ("GET /items/1", 3)] {
            let peer = format!("198.51.100.{limit}");
            let statuses = process.statuses(&peer, request, limit).await;
            assert_eq!(statuses, vec![200; limit], "{request}");
        }
        // Strikes, too, are its own.
        assert_eq!(process.statuses(PEER, "GET /.env", 2).await, [403; 2]);
        assert_eq!(process.status(PEER, "GET /health").await, 200);
    }
    assert_eq!(monitor.commands().await, [] as [&str; 0]);
    // Only the ban is written, and read by the others.
    assert_eq!(processes[0].status(PEER, "GET /.env").await, 403);
    within_a_second(&processes, PEER, 403).await;
    assert!(!monitor.commands().await.is_empty());
    for process in &processes {
        assert_eq!(process.statuses(PEER, "GET /other", 20).await, [403; 20]);
    }
    let commands = monitor.commands().await;
    assert!(commands.len() < 20, "{commands:?}");
}

#[actix_web::test]
async fn what_changed_while_connections_were_lost_is_known_within_a_second_all_the_same() {
    let server = Server::start();
    let processes = three(&server).await;
    let (lifted, banned) = ("192.0.2.2", "192.0.2.3");
    processes[0].ban(lifted, 600).await;
    within_a_second(&processes, lifted, 403).await;
    // Nobody is told of the two changes.
    let changes = [
        ["DEL", "guard:banned_ips:192.0.2.2"].as_slice(),
        &["SET", "guard:banned_ips:192.0.2.3", "", "EX", "600"],
    ];
    let mut connection = server.connection();
    let mut transaction = ::redis::pipe();
    transaction.atomic();
    transaction.cmd("CLIENT").arg(&["KILL", "TYPE", "normal"]);
    for change in changes {
        transaction.cmd(change[0]).arg(&change[1..]);
    }
    transaction.exec(&mut connection).unwrap();
    within_a_second(&processes, banned, 403).await;
    within_a_second(&processes, lifted, 200).await;
    // And by then they are told of changes again.
    until_told(&server, 3).await;
    assert!(processes[1].unban(banned).await);
    within_a_second(&processes, banned, 200).await;
}

#[actix_web::test]
async fn bans_outlast_a_restart_of_redis_that_kept_them_and_can_be_set_again_after_one_that_did_not()
 {
    let server = Server::builder()
        .config("appendonly", "yes")
        .config("appendfsync", "always")
        .start();
    let processes = three(&server).await;
    processes[0].ban(PEER, 600).await;
    within_a_second(&processes, PEER, 403).await;
    server.restart();
    assert!(all_answer(&processes, PEER, 403).await);
    until_told(&server, 3).await;
    assert!(all_answer(&processes, PEER, 403).await);
    assert!(processes[2].unban(PEER).await);
    within_a_second(&processes, PEER, 200).await;

    // Redis is down while a ban is decided: it is written when Redis is back.
    server.kill();
    processes[0].ban(PEER, 600).await;
    assert_eq!(processes[0].status(PEER, "GET /health").await, 403);
    assert_eq!(processes[1].status(PEER, "GET /health").await, 200);
    server.restart();
    until_told(&server, 3).await;
    within_a_second(&processes, PEER, 403).await;
    assert_eq!(
        number(&server, &["EXISTS", "guard:banned_ips:192.0.2.1"]),
        1
    );
}
