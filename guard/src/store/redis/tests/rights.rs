//! What a user of the server must be permitted is what the README says.

use redis_servers::Server;

use crate::store::redis::{Event, Failure, store_at};

use super::*;

const README: &str = include_str!("../../../../README.md");

/// The rules of the user, as the README has them.
fn rights() -> Vec<&'static str> {
    let (_, rights) = README.split_once("`~guard:* ").unwrap();
    let (rights, _) = rights.split_once('`').unwrap();
    rights.split_whitespace().collect()
}

/// Has a user with these rights do all that the guard ever asks for.
async fn uses(server: &Server, rights: &[&str]) -> Result<(), Failure> {
    let who = [
        "ACL", "SETUSER", "guard", "reset", "on", ">secret", "~guard:*",
    ];
    server.command(&[&who, rights].concat());
    // The next call of a script has to bring its text.
    server.command(&["SCRIPT", "FLUSH"]);
    let store = store_at(&server.url_as("guard", "secret"));
    store.probe(None).await?;
    store.clear_strikes(ALICE).await?;
    store.ban(ALICE, 60_000, "by hand").await?;
    assert_eq!(store.bans().await?.0.len(), 1);
    assert!(store.unban(ALICE).await?);
    match store.events().next().await {
        Some(Event::Up) => Ok(()),
        Some(Event::Down(failure)) => Err(failure),
        other => panic!("{other:?}"),
    }
}

#[actix_web::test]
async fn the_rights_that_the_readme_names_are_enough_and_each_is_needed() {
    let server = Server::start();
    let rights = rights();
    assert_eq!(uses(&server, &rights).await, Ok(()));
    for missing in rights.iter().filter(|right| right.starts_with('+')) {
        let others = rights.iter().filter(|right| *right != missing);
        let others: Vec<&str> = others.copied().collect();
        let used = uses(&server, &others).await;
        assert!(used.is_err(), "without {missing}");
    }
}
