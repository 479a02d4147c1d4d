//! The page is kept up to date in place, and says when it is not.

use super::{Site, ban_of, wait_for_no_ban_of};
use crate::{
    browser::{ARROW_LEFT, Browser, END},
    support::seconds,
};

#[actix_web::test]
async fn a_server_that_was_away_is_asked_again_and_the_page_says_so_meanwhile() {
    let mut site = Site::start();
    site.ban("192.0.2.1", "before").await;
    let browser = site.open();
    browser.wait_for_text(&ban_of("192.0.2.1"), "before");

    site.stop().await;
    browser.wait_for_text("#connection", "Not updated since ");
    browser.wait_for_text("#connection", "The server does not answer.");
    assert!(browser.text(&ban_of("192.0.2.1")).contains("before"));
    site.ban("192.0.2.2", "meanwhile").await;

    site.restart();
    browser.wait_for_text("#connection", "Live");
    browser.wait_for_text(&ban_of("192.0.2.2"), "meanwhile");
}

#[actix_web::test]
async fn who_is_not_let_in_any_more_is_told_to_log_in_and_asks_no_more() {
    let mut site = Site::start();
    let browser = site.open();
    site.stop().await;
    site.token = "another secret of operators";
    site.restart();
    browser.wait_for_text("#connection", "reload the page and log in");
    browser.requested();
    site.ban("192.0.2.1", "a reason").await;
    wait_some_seconds(&browser);
    assert_eq!(browser.requested(), [""; 0]);
}

#[actix_web::test]
async fn while_nobody_looks_nothing_is_asked() {
    let site = Site::start();
    let browser = site.open();
    let look = |looks: bool| {
        browser.run(&format!(
            "Object.defineProperty(document, 'hidden', {{ value: {}, configurable: true }});
             document.dispatchEvent(new Event('visibilitychange'));",
            !looks
        ))
    };
    look(false);
    browser.requested();
    wait_some_seconds(&browser);
    assert_eq!(browser.requested(), [""; 0]);
    site.ban("192.0.2.1", "meanwhile").await;
    look(true);
    browser.wait_for_text(&ban_of("192.0.2.1"), "meanwhile");
}

/// Long enough for an open page to ask again, by the browser's own clock.
fn wait_some_seconds(browser: &Browser) {
    browser.run("window.since = performance.now()");
    browser.wait_for("performance.now() - window.since > 5000");
}

#[actix_web::test]
async fn what_is_in_use_is_left_alone_by_updates() {
    const USED: &str = "192.0.2.9";
    let site = Site::start();
    let ban = async |duration| {
        let banned = site.handle.ban(USED, seconds(duration), "in use");
        banned.await.unwrap();
    };
    ban(900).await;
    site.ban("192.0.2.5", "another").await;
    let browser = site.open();
    browser.wait_for_text(&ban_of(USED), "in use");
    let script = format!(
        "window.button = document.querySelector(\"{0} button\");
         window.button.focus();
         window.losses = 0;
         window.button.addEventListener('blur', () => window.losses += 1);
         getSelection().selectAllChildren(document.querySelector(\"{0} [data-of=reason]\"));
         document.querySelector('#ban-form [name=reason]').value = 'half a rea';",
        ban_of(USED)
    );
    browser.run(&script);

    // Others come before it and go, and it comes before others itself.
    site.ban("192.0.2.1", "the first").await;
    browser.wait_for_text(&ban_of("192.0.2.1"), "the first");
    let rows = "document.querySelector('#bans-table tbody')";
    browser.wait_for(&format!("{rows}.lastElementChild.contains(window.button)"));
    site.handle.unban("192.0.2.1").await.unwrap();
    wait_for_no_ban_of(&browser, "192.0.2.1");
    ban(60).await;
    browser.wait_for(&format!("{rows}.firstElementChild.contains(window.button)"));

    assert_eq!(
        browser.run("return document.activeElement === window.button && window.losses"),
        0
    );
    assert_eq!(browser.run("return String(getSelection())"), "in use");
    let reason = "return document.querySelector('#ban-form [name=reason]').value";
    assert_eq!(browser.run(reason), "half a rea");
}

#[actix_web::test]
async fn an_open_question_stays_open() {
    let site = Site::start();
    site.ban("192.0.2.9", "asked about").await;
    let browser = site.open();
    browser.click(&format!("{} button", ban_of("192.0.2.9")));
    site.ban("192.0.2.1", "another").await;
    browser.wait_for_text(&ban_of("192.0.2.1"), "another");
    site.handle.unban("192.0.2.9").await.unwrap();
    wait_for_no_ban_of(&browser, "192.0.2.9");
    browser.wait_for_text("#question", "asked about");
    browser.click("#question button.main");
    browser.wait_for_text("#said", "192.0.2.9 was not banned any more.");
}

#[actix_web::test]
async fn refusals_are_counted_drawn_and_told() {
    let site = Site::start_with(|config| config.auto_ban_threshold(100));
    let browser = site.open();
    for _ in 0..5 {
        site.status("192.0.2.1").await;
    }
    browser.wait_for_text("#totals div:has([data-of=limited])", "2");
    browser.wait_for_text("#totals div:has([data-of=strikes])", "2");
    browser.wait_for_text("#plot-summary", "2 requests were refused");
    let heights = "[...document.querySelectorAll('#plot rect.piece')].filter((bar) => bar.getBBox().height > 0).length";
    browser.wait_for(&format!("{heights} > 0"));

    // The keys go through the minutes; the test may run over the end of one.
    browser.run("document.getElementById('plot').focus()");
    browser.press(END);
    let told = "document.getElementById('plot').getAttribute('aria-valuetext')";
    let is_told = format!("{told}.includes('2 limited') && {told}.includes('3 admitted')");
    if browser.run(&format!("return {is_told}")) == false {
        browser.press(ARROW_LEFT);
    }
    browser.wait_for(&is_told);
    browser.wait_for_text("#plot-minute", "2 limited");
    browser.press(ARROW_LEFT);
    browser.press(ARROW_LEFT);
    browser.wait_for_text("#plot-minute", "nothing refused");

    browser.click("#minutes summary");
    browser.wait_for("document.querySelectorAll('#minutes tbody tr').length === 60");
    let limited = "[...document.querySelectorAll('#minutes [data-of=limited]')].reduce((sum, cell) => sum + Number(cell.textContent), 0)";
    browser.wait_for(&format!("{limited} === 2"));
}

#[actix_web::test]
async fn what_is_switched_off_is_said() {
    let site = Site::start_with(|config| {
        config
            .passive(true)
            .enable_ip_banning(false)
            .enable_detection(false)
    });
    let browser = site.open();
    for badge in ["passive", "banning", "detection"] {
        browser.wait_for(&format!("!document.getElementById('{badge}-badge').hidden"));
    }
    assert_eq!(
        browser.run("return document.getElementById('rate-limiting-badge').hidden"),
        true
    );
    browser.wait_for_text("#store-badge", "memory");
    browser.wait_for_text("#ban-off", "Banning is off");
    assert_eq!(
        browser.run("return document.querySelector('#ban-form [type=submit]').disabled"),
        true
    );
}
