//! What a user of the server must be permitted is what the README says.

use redis_servers::{Cluster, Sentinels, Server};

use crate::store::redis::{
    Event, Failure, RedisStore, store_at, store_of_cluster, store_of_sentinels,
};

use super::*;

const README: &str = include_str!("../../../../README.md");

/// The rules of the user, as the README has them behind these words.
fn rights(behind: &str) -> Vec<&'static str> {
    let (_, rights) = README.split_once(behind).unwrap();
    let (rights, _) = rights.split_once('`').unwrap();
    rights.split_whitespace().collect()
}

/// Makes the user, with these rights and no others.
fn permit(server: &Server, rights: &[&str]) {
    let who = [
        "ACL", "SETUSER", "guard", "reset", "on", ">secret", "~guard:*",
    ];
    server.command(&[&who, rights].concat());
    // The next call of a script has to bring its text.
    server.command(&["SCRIPT", "FLUSH"]);
}

/// Does all that the guard ever asks for.
async fn use_all(store: &RedisStore) -> Result<(), Failure> {
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

async fn uses(server: &Server, rights: &[&str]) -> Result<(), Failure> {
    permit(server, rights);
    use_all(&store_at(&server.url_as("guard", "secret"))).await
}

#[actix_web::test]
async fn the_rights_that_the_readme_names_are_enough_and_each_is_needed() {
    let server = Server::start();
    let rights = rights("`~guard:* ");
    assert_eq!(uses(&server, &rights).await, Ok(()));
    for missing in rights.iter().filter(|right| right.starts_with('+')) {
        let others = rights.iter().filter(|right| *right != missing);
        let others: Vec<&str> = others.copied().collect();
        let used = uses(&server, &others).await;
        assert!(used.is_err(), "without {missing}");
    }
}

/// The URLs of servers for the user.
fn urls_of_user<'s>(servers: impl IntoIterator<Item = &'s Server>) -> Vec<String> {
    let servers = servers.into_iter();
    servers
        .map(|server| server.url_as("guard", "secret"))
        .collect()
}

#[actix_web::test]
async fn in_a_cluster_the_rights_that_the_readme_names_are_enough() {
    let cluster = Cluster::start();
    let everywhere = rights("`~guard:* ");
    let more = rights("in a Cluster `");
    assert_eq!(more, ["+cluster|slots", "+asking"]);
    let all = [everywhere.clone(), more].concat();
    for server in cluster.nodes() {
        permit(server, &all);
    }
    let store = store_of_cluster(&urls_of_user(cluster.nodes()));
    assert_eq!(use_all(&store).await, Ok(()));

    for server in cluster.nodes() {
        permit(server, &everywhere);
    }
    let store = store_of_cluster(&urls_of_user(cluster.nodes()));
    assert!(matches!(
        store.probe(None).await,
        Err(Failure::NotPermitted(_))
    ));
}

#[actix_web::test]
async fn where_sentinels_name_the_master_the_rights_that_the_readme_names_are_enough() {
    let sentinels = Sentinels::start();
    let rights = [rights("`~guard:* "), rights("as well, `")].concat();
    assert_eq!(rights.last(), Some(&"+role"));
    for server in sentinels.servers() {
        permit(server, &rights);
    }
    // They are shown the user as well, and know nobody by that name.
    let urls = urls_of_user(sentinels.sentinels());
    let store = store_of_sentinels(&urls, sentinels.master_name());
    assert_eq!(use_all(&store).await, Ok(()));
}
