//! TLS.

use std::process::Command;

use redis_servers::Server;

use super::*;

const URL: &str = "GUARD_TEST_TLS_URL";

/// Which certificates are trusted is read from the environment, so this runs in a process of its own.
#[test]
fn servers_with_a_trusted_certificate_are_reached() {
    let server = Server::builder().tls().password("secret").start();
    let run = |certificates: &std::path::Path| {
        let output = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--ignored", "--nocapture"])
            .arg("store::redis::connection::tests::tls::reaches")
            .env("SSL_CERT_FILE", certificates)
            .env(URL, server.url())
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let trusted = run(&server.ca_path());
    assert!(trusted.contains("outcome: Ok(int(1))"), "{trusted}");

    let other = Server::builder().tls().start();
    let untrusted = run(&other.ca_path());
    assert!(untrusted.contains("outcome: Err(Refused("), "{untrusted}");
    assert!(!untrusted.contains("secret"), "{untrusted}");
}

#[actix_web::test]
#[ignore = "run by the other test"]
async fn reaches() {
    let connections = single(&std::env::var(URL).unwrap());
    println!("outcome: {:?}", count(&connections, "k").await);
}
