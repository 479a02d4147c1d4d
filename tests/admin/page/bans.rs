//! Who is banned is seen, lifted, and set.

use actix_web_guard::BanSource;

use super::{Site, ban_of, wait_for_no_ban_of};
use crate::browser::{Browser, ENTER, TAB};

const CLIENT: &str = "192.0.2.1";

/// Goes on to the next element with the focus until one is found by this selector.
fn tab_to(browser: &Browser, selector: &str) {
    let has_focus = format!("return document.activeElement.matches(\"{selector}\")");
    for _ in 0..60 {
        browser.press(TAB);
        if browser.run(&has_focus) == true {
            return;
        }
    }
    panic!("the focus never comes to {selector}");
}

#[actix_web::test]
async fn a_ban_appears_on_the_open_page_and_is_lifted_in_two_clicks() {
    let site = Site::start();
    let browser = site.open();
    browser.wait_for_text("#bans-empty", "Nobody is banned.");
    browser.run("window.isTheSame = true");

    for expected in [200, 200, 200, 403] {
        assert_eq!(site.status(CLIENT).await, expected);
    }
    browser.wait_for_text(&ban_of(CLIENT), "rate limit");
    browser.wait_for_text(&ban_of(CLIENT), "the guard");
    browser.wait_for_text("#bans-count", "1");
    browser.wait_for_text("#offenders-table tbody", CLIENT);

    browser.click(&format!("{} button", ban_of(CLIENT)));
    assert_eq!(site.status(CLIENT).await, 403, "nothing is done unasked");
    browser.click("#question button.main");
    browser.wait_for_text("#said", "The ban on 192.0.2.1 is lifted.");
    wait_for_no_ban_of(&browser, CLIENT);
    assert_eq!(site.status(CLIENT).await, 200);
    browser.wait_for_text("#totals div:has([data-of='bans_lifted'])", "1");
    assert_eq!(browser.run("return window.isTheSame"), true, "loaded anew");
}

#[actix_web::test]
async fn a_ban_that_is_kept_stays() {
    let site = Site::start();
    site.ban(CLIENT, "a reason").await;
    let browser = site.open();
    browser.click(&format!("{} button", ban_of(CLIENT)));
    browser.wait_for_text("#question", "a reason");
    browser.click("#question button[value=no]");
    browser.wait_for("!document.getElementById('question').open");
    assert_eq!(site.status(CLIENT).await, 403);
}

#[actix_web::test]
async fn what_is_left_of_a_ban_counts_down() {
    let site = Site::start();
    site.ban(CLIENT, "a reason").await;
    let browser = site.open();
    let left = format!("{} [data-of=left]", ban_of(CLIENT));
    browser.wait_for_text(&left, "4 min ");
    let first = seconds_of(&browser.text(&left));
    let shown = format!("document.querySelector(\"{left}\").innerText");
    browser.wait_for(&format!("Number({shown}.match(/min (.+) s/)[1]) < {first}"));
}

/// Of "4 min 57 s".
fn seconds_of(text: &str) -> u32 {
    let seconds = text
        .strip_prefix("4 min ")
        .and_then(|rest| rest.strip_suffix(" s"));
    seconds
        .and_then(|seconds| seconds.parse().ok())
        .unwrap_or_else(|| panic!("{text:?}"))
}

#[actix_web::test]
async fn an_address_is_banned_by_the_form() {
    let site = Site::start();
    let browser = site.open();
    assert_eq!(site.status("2001:db8::1").await, 200);
    browser.fill("#ban-form [name=client]", "2001:DB8:0::1");
    browser.click("#ban-form [name=duration] option[value=own]");
    browser.fill("#ban-form [name=seconds]", "120");
    browser.fill("#ban-form [name=reason]", "scraping");
    browser.click("#ban-form [type=submit]");
    browser.wait_for_text("#said", "2001:db8::/64 is banned until ");
    browser.wait_for_text(&ban_of("2001%3Adb8%3A%3A%2F64"), "scraping");
    browser.wait_for_text(&ban_of("2001%3Adb8%3A%3A%2F64"), "people");

    let ban = site.handle.ban_of("2001:db8::2").await.unwrap().unwrap();
    assert_eq!((&*ban.reason, ban.by), ("scraping", BanSource::Manual));
    let length = ban.until.duration_since(ban.since).unwrap();
    assert_eq!(length.as_millis().div_ceil(1000), 120);
    assert_eq!(site.status("2001:db8::3").await, 403);
}

#[actix_web::test]
async fn what_cannot_be_banned_is_said_and_can_be_corrected() {
    let site = Site::start();
    let browser = site.open();
    browser.fill("#ban-form [name=client]", "nobody");
    browser.click("#ban-form [type=submit]");
    browser.wait_for_text("#ban-form .problem", "nobody");
    browser.wait_for_text("#ban-form .problem", "(422)");

    browser.fill("#ban-form [name=client]", CLIENT);
    browser.click("#ban-form [type=submit]");
    browser.wait_for_text("#said", "192.0.2.1 is banned until ");
    assert_eq!(browser.text("#ban-form .problem"), "");
}

#[actix_web::test]
async fn a_ban_is_lifted_without_a_mouse() {
    let site = Site::start();
    site.ban(CLIENT, "a reason").await;
    let browser = site.open();
    browser.wait_for_text(&ban_of(CLIENT), "a reason");
    tab_to(&browser, &format!("{} button", ban_of(CLIENT)));
    browser.press(ENTER);
    browser.wait_for("document.getElementById('question').open");
    browser.press(ENTER);
    wait_for_no_ban_of(&browser, CLIENT);
    assert_eq!(site.status(CLIENT).await, 200);
    browser.wait_for("document.activeElement.id === 'bans-heading'");
}

#[actix_web::test]
async fn many_bans_are_paged_and_found() {
    let site = Site::start();
    for number in 1..=30 {
        let client = format!("198.51.100.{number}");
        site.ban(&client, &format!("Reason {number}")).await;
    }
    let browser = site.open();
    let rows = |expected: usize| {
        let rows = "document.querySelectorAll('#bans-table tbody tr').length";
        browser.wait_for(&format!("{rows} === {expected}"));
    };
    browser.wait_for_text("#bans-count", "30");
    browser.wait_for_text("#bans-page", "Page 1 of 2");
    rows(25);
    browser.click("#bans-next");
    browser.wait_for_text("#bans-page", "Page 2 of 2");
    rows(5);

    browser.fill("#bans-filter", "reason 17");
    browser.wait_for_text("#bans-count", "1 found");
    browser.wait_for_text(&ban_of("198.51.100.17"), "Reason 17");
    rows(1);
    browser.wait_for("document.getElementById('bans-pages').hidden");

    browser.click("#bans-by option[value=automatic]");
    browser.wait_for_text("#bans-empty", "No ban is like this.");
    rows(0);
    browser.click("#bans-by option[value=manual]");
    rows(1);
}

#[actix_web::test]
async fn a_page_that_is_no_more_is_left() {
    let site = Site::start();
    for number in 1..=26 {
        site.ban(&format!("198.51.100.{number}"), "").await;
    }
    let browser = site.open();
    browser.wait_for_text("#bans-page", "Page 1 of 2");
    browser.click("#bans-next");
    browser.wait_for_text("#bans-page", "Page 2 of 2");
    site.handle.unban("198.51.100.1").await.unwrap();
    browser.wait_for("document.getElementById('bans-pages').hidden");
    browser.wait_for_text("#bans-count", "25");
    browser.wait_for_text(&ban_of("198.51.100.26"), "198.51.100.26");
}
