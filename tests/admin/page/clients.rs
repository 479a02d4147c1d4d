//! What is known about one client, and what is set.

use redis_servers::Server;

use super::{Site, ban_of};

const CLIENT: &str = "192.0.2.1";

#[actix_web::test]
async fn a_client_is_looked_at_by_its_address() {
    let site = Site::start_with(|config| config.auto_ban_threshold(5));
    for _ in 0..4 {
        site.status(CLIENT).await;
    }
    let browser = site.open();
    browser.fill("#client-form [name=client]", CLIENT);
    browser.click("#client-form button");
    browser.wait_for_text("#client-facts h3", CLIENT);
    browser.wait_for_text("#client-facts", "Not banned.");
    browser.wait_for_text("#client-facts div:has([data-of=strikes])", "1");
    browser.wait_for_text(
        "#client-facts div:has([data-of=threshold])",
        "more than 5 ban",
    );
    let window = "#windows-table tr:has(progress[max='3'])";
    browser.wait_for_text(window, "3 of 3");
    browser.wait_for_text(window, "/public");

    // It is kept up to date, and bans from there.
    site.status(CLIENT).await;
    browser.wait_for_text("#client-facts div:has([data-of=strikes])", "2");
    browser.click("#client-facts [data-of=offer]");
    browser.wait_for("document.activeElement.name === 'duration'");
    browser.click("#ban-form [type=submit]");
    browser.wait_for_text("#client-facts", "Banned by people");
    browser.click("#client-facts [data-of=lift]");
    browser.click("#question button.main");
    browser.wait_for_text("#client-facts", "Not banned.");
    assert_eq!(site.handle.ban_of(CLIENT).await.unwrap(), None);
}

#[actix_web::test]
async fn a_link_leads_to_a_client_and_back() {
    let site = Site::start();
    site.ban("2001:db8::1", "a reason").await;
    let browser = site.open();
    browser.click(&format!("{} a", ban_of("2001%3Adb8%3A%3A%2F64")));
    browser.wait_for_text("#client-facts", "2001:db8::/64");
    browser.wait_for_text("#client-facts", "a reason");
    assert_eq!(
        browser.run("return location.hash"),
        "#client=2001%3Adb8%3A%3A%2F64"
    );
    browser.go("about:blank");
    browser.go(&format!("{}#client=2001%3Adb8%3A%3A%2F64", site.url()));
    browser.wait_for_text("#client-facts", "a reason");
}

#[actix_web::test]
async fn what_is_no_address_is_said() {
    let site = Site::start();
    let browser = site.open();
    browser.fill("#client-form [name=client]", "nobody");
    browser.click("#client-form button");
    browser.wait_for_text("#client-form .problem", "nobody");
    browser.wait_for("document.getElementById('client-facts').hidden");
    browser.wait_for_text("#connection", "Live");
}

#[actix_web::test]
async fn with_redis_there_are_lines_for_its_client() {
    let redis = Server::start();
    let site = Site::start_with(|config| config.store(redis.url()).redis_timeout_ms(8000));
    site.status(CLIENT).await;
    let browser = site.open();
    browser.wait_for_text("#store-badge", "Redis");
    browser.fill("#client-form [name=client]", CLIENT);
    browser.click("#client-form button");
    browser.wait_for_text("#redis-lines", CLIENT);
    browser.click("#redis-lines button");
    browser.wait_for_text("#said", "Copied.");
}

#[actix_web::test]
async fn routes_and_configuration_are_shown() {
    let site = Site::start_with(|config| config.rate_limit(77));
    site.status(CLIENT).await;
    let browser = site.open();
    let route = "#routes-table tbody";
    browser.wait_for_text(route, "/public");
    browser.wait_for_text(route, "3 in 1 min, by address");
    browser.wait_for_text(route, "all others");
    browser.wait_for_text(route, "77 in 1 min, by address");
    browser.click("#configuration summary");
    browser.wait_for_text("#configuration pre", "rate_limit = 77");
}
