//! Passwords and users.

use redis_servers::Server;

use super::*;

async fn failure_of(url: &str) -> Failure {
    let failure = count(&single(url), "k").await.unwrap_err();
    assert!(failure.is_outage());
    let shown = format!("{failure} {failure:?}");
    assert!(!shown.contains("secret"), "{shown}");
    failure
}

#[actix_web::test]
async fn the_right_password_lets_in_and_others_do_not() {
    let server = Server::builder().password("secret:@/%").start();
    let connections = single(&server.url());
    assert_eq!(count(&connections, "k").await, Ok(Value::Int(1)));

    let wrong = failure_of(&server.url_as("", "wrong secret")).await;
    assert!(matches!(wrong, Failure::Unauthenticated(_)), "{wrong:?}");
    let none = failure_of(&format!("redis://127.0.0.1:{}", server.port())).await;
    assert!(matches!(none, Failure::Unauthenticated(_)), "{none:?}");
    let nobody = failure_of(&server.url_as("nobody", "secret")).await;
    assert!(matches!(nobody, Failure::Unauthenticated(_)), "{nobody:?}");
}

#[actix_web::test]
async fn a_wrong_password_is_not_tried_by_each_call() {
    let server = Server::builder().password("secret").start();
    let connections = single(&server.url_as("", "wrong"));
    let first = count(&connections, "k").await;
    assert!(
        matches!(first, Err(Failure::Unauthenticated(_))),
        "{first:?}"
    );
    assert_eq!(count(&connections, "k").await, Err(Failure::Unavailable));
}

#[actix_web::test]
async fn a_user_may_do_what_its_rules_say() {
    let server = Server::builder()
        .acl_user("guard", "secret", "~guard:* -@all +evalsha +eval +incr")
        .acl_user("lame", "secret", "~* +@all -evalsha")
        .start();
    let connections = single(&server.url_as("guard", "secret"));
    assert_eq!(count(&connections, "guard:k").await, Ok(Value::Int(1)));
    let foreign = count(&connections, "k").await;
    assert!(
        matches!(foreign, Err(Failure::NotPermitted(_))),
        "{foreign:?}"
    );

    let lame = failure_of(&server.url_as("lame", "secret")).await;
    assert!(matches!(lame, Failure::NotPermitted(_)), "{lame:?}");
}
