//! What attackers write is text, and nothing in it hides.

use super::{Site, ban_of};
use crate::browser::Browser;

const CLIENT: &str = "192.0.2.1";
const SCRIPT: &str =
    "<img src=x onerror=window.isBroken=1></td></script><script>window.isBroken=1</script>";
/// So short that it is not cut.
const SHORT: &str = "<img src=x onerror=window.isBroken=1>";
const BACKWARDS: &str = "\u{202e}sdrawkcab\u{202c}\u{200b}\u{feff}";
const BACKWARDS_VISIBLY: &str = r"\u{202e}sdrawkcab\u{202c}\u{200b}\u{feff}";

/// A site that was attacked, and has bans with hostile reasons.
async fn attacked() -> Site {
    let site = Site::start();
    let agent = format!("{SCRIPT}{BACKWARDS}");
    let path = "GET /%3Cimg%20src=x%20onerror=window.isBroken=1%3E%E2%80%AEmoc";
    let answer = site.ask(CLIENT, path, &[("User-Agent", &agent)]).await;
    assert_eq!(answer.status, 403);
    let reason = format!("{SCRIPT}{BACKWARDS}\u{7}\n");
    site.handle.unban(CLIENT).await.unwrap();
    site.ban(CLIENT, &reason).await;
    site.ban("192.0.2.2", SHORT).await;
    site
}

/// Nothing has become markup, and nothing ran.
fn assert_harmless(browser: &Browser) {
    assert_eq!(browser.run("return String(window.isBroken)"), "undefined");
    let elements = "return document.querySelectorAll('img, iframe, body script').length";
    assert_eq!(browser.run(elements), 0);
    assert_eq!(browser.console(), [""; 0]);
}

/// All that is shown somewhere, also what unfolds.
fn content(browser: &Browser, selector: &str) -> String {
    let content = format!("return document.querySelector(\"{selector}\").textContent");
    browser.run(&content).as_str().unwrap().to_owned()
}

#[actix_web::test]
async fn hostile_text_is_shown_as_it_is() {
    let site = attacked().await;
    let browser = site.open();
    let offender = "#offenders-table tbody tr";
    browser.wait_for_text(&ban_of(CLIENT), "<img src=x onerror=");
    browser.wait_for_text(offender, "<img src=x onerror=");
    browser.wait_for_text(&ban_of("192.0.2.2"), SHORT);

    let agent = content(&browser, &format!("{offender} [data-of=user_agent]"));
    assert!(agent.contains(SCRIPT), "{agent}");
    assert!(agent.contains(BACKWARDS_VISIBLY), "{agent}");
    let path = content(&browser, &format!("{offender} [data-of=request]"));
    assert!(path.contains("img") && !path.contains('\u{202e}'), "{path}");
    let reason = content(&browser, &format!("{} [data-of=reason]", ban_of(CLIENT)));
    assert!(reason.contains(SCRIPT), "{reason}");
    assert!(reason.contains(BACKWARDS_VISIBLY), "{reason}");
    assert!(reason.contains(r"\u{0007}\u{000a}"), "{reason}");
    assert_harmless(&browser);

    browser.click(&format!("{} button", ban_of(CLIENT)));
    browser.wait_for_text("#question", "<img src=x onerror=");
    assert_harmless(&browser);
    browser.click("#question button[value=no]");

    browser.click(&format!("{} a", ban_of(CLIENT)));
    browser.wait_for_text("#client-facts", "<img src=x onerror=");
    assert_harmless(&browser);
}

#[actix_web::test]
async fn a_long_text_is_cut_and_unfolds() {
    let site = attacked().await;
    let browser = site.open();
    let reason = format!("{} [data-of=reason]", ban_of(CLIENT));
    browser.wait_for_text(&reason, "…");
    assert!(!browser.text(&reason).contains("sdrawkcab"));
    browser.click(&format!("{reason} summary"));
    browser.wait_for_text(&reason, BACKWARDS_VISIBLY);
}

#[actix_web::test]
async fn a_hostile_address_in_the_link_is_harmless() {
    let site = Site::start();
    let browser = site.open();
    for hash in [
        "%",
        "%3Cimg%20src=x%20onerror=window.isBroken=1%3E",
        "..%2F..%2Fpublic",
    ] {
        browser.go(&format!("{}#client={hash}", site.url()));
        browser.wait_for_text("#connection", "Live");
        assert_eq!(browser.run("return String(window.isBroken)"), "undefined");
        assert_eq!(
            browser.run("return document.querySelectorAll('img').length"),
            0
        );
    }
    browser.wait_for_text("#client-form .problem", "..");
}

#[actix_web::test]
async fn nobody_else_is_asked_and_the_policy_is_kept() {
    let site = attacked().await;
    let browser = site.open();
    browser.wait_for_text(&ban_of(CLIENT), "<img src=x onerror=");
    browser.click("#configuration summary");
    browser.wait_for_text("#configuration pre", "rate_limit");
    browser.click("#minutes summary");
    let requested = browser.requested();
    assert!(requested.len() > 10, "{requested:?}");
    // The password is in some of them, as it was in the first.
    let own = [site.url(), format!("http://{}/guard/", site.address)];
    let foreign: Vec<_> = requested
        .iter()
        .filter(|url| !own.iter().any(|own| url.starts_with(own)) && !url.starts_with("data:"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
    assert_harmless(&browser);
}
