//! For every eye, finger and screen reader.

use serde_json::Value;

use super::{Site, ban_of};
use crate::browser::{Browser, Scheme};

/// The texts with the least contrast to what is behind them, by the formula of WCAG, as [contrast, text].
const CONTRASTS: &str = r#"
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgb = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (color) => {
        const [r, g, b] = rgb(color).map((part) => part / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (one, other) => {
        const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
        return (bright + 0.05) / (dark + 0.05);
    };
    const behind = (node) => {
        const color = getComputedStyle(node).backgroundColor;
        return rgb(color)[3] === 255 ? color : behind(node.parentElement);
    };
    const hasText = (node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim());
"#;

/// A page with something in every section.
async fn filled() -> Site {
    let site = Site::start();
    site.ban(
        "198.51.100.7",
        "a reason that is so long that it would not fit into any line of a phone",
    )
    .await;
    site.ban(
        "2001:db8:1234:5678::1",
        "Averylongwordwithoutanyspaceinwhichalinecouldbebroken",
    )
    .await;
    let path = format!("GET /{}/.env", "a".repeat(200));
    site.ask("192.0.2.1", &path, &[("User-Agent", &"b".repeat(200))])
        .await;
    site
}

fn wait_until_filled(browser: &Browser) {
    browser.wait_for_text(&ban_of("198.51.100.7"), "a reason");
    browser.wait_for_text("#offenders-table tbody", "192.0.2.1");
    browser.click(&format!("{} a", ban_of("192.0.2.1")));
    browser.wait_for_text("#client-facts", "Banned by the guard");
    browser.click("#configuration summary");
    browser.wait_for_text("#configuration pre", "rate_limit");
}

fn contrasts(browser: &Browser, body: &str) -> Vec<(f64, String)> {
    let found = browser.run(&format!("{CONTRASTS}\n{body}"));
    let pair = |item: &Value| {
        (
            item[0].as_f64().unwrap(),
            item[1].as_str().unwrap().to_owned(),
        )
    };
    found.as_array().unwrap().iter().map(pair).collect()
}

fn assert_contrasts(browser: &Browser) {
    let texts = contrasts(
        browser,
        "return [...document.body.querySelectorAll('*')]
             .filter((node) => hasText(node) && node.checkVisibility() && !node.closest('svg'))
             .map((node) => [contrast(getComputedStyle(node).color, behind(node)), node.textContent.trim()])",
    );
    assert!(texts.len() > 50, "{texts:?}");
    let faint: Vec<_> = texts
        .iter()
        .filter(|(contrast, _)| *contrast < 4.5)
        .collect();
    assert!(faint.is_empty(), "{faint:?}");

    // WCAG asks 3 of what is not text.
    let series = contrasts(
        browser,
        "return [...document.querySelectorAll('.definitions rect:not(.back)')]
             .map((rect) => [contrast(getComputedStyle(rect).fill, behind(document.body)), rect.getAttribute('class')])",
    );
    assert!(series.len() >= 5, "{series:?}");
    let faint: Vec<_> = series
        .iter()
        .filter(|(contrast, _)| *contrast < 3.0)
        .collect();
    assert!(faint.is_empty(), "{faint:?}");
}

#[actix_web::test]
async fn it_is_light_or_dark_as_people_prefer_and_readable_either_way() {
    let site = filled().await;
    let browser = site.open();
    browser.prefer(Scheme::Light);
    wait_until_filled(&browser);
    let back = "return getComputedStyle(document.body).backgroundColor";
    let light = browser.run(back);
    assert_contrasts(&browser);
    browser.prefer(Scheme::Dark);
    assert_ne!(browser.run(back), light);
    assert_contrasts(&browser);
}

#[actix_web::test]
async fn a_phone_shows_all_of_it_and_a_finger_hits_all_of_it() {
    let site = filled().await;
    let browser = site.open_on(360, 800);
    wait_until_filled(&browser);
    assert_eq!(
        browser.run("return [innerWidth, document.documentElement.scrollWidth]"),
        serde_json::json!([360, 360])
    );
    let outside = "return [...document.querySelectorAll('main *')]
        .filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > 361 && !node.closest('.scroll, pre'))
        .map((node) => node.outerHTML.slice(0, 80))";
    assert_eq!(browser.run(outside), serde_json::json!([]));
    // Links within a line of text may be smaller; there are none.
    let small = "return [...document.querySelectorAll('a, button, input, select, summary')]
        .filter((node) => node.checkVisibility() && node.getBoundingClientRect().height < 44)
        .map((node) => node.outerHTML.slice(0, 80))";
    assert_eq!(browser.run(small), serde_json::json!([]));

    browser.click(&format!("{} button", ban_of("198.51.100.7")));
    browser.click("#question button.main");
    browser.wait_for_text("#said", "The ban on 198.51.100.7 is lifted.");
    assert_eq!(site.status("198.51.100.7").await, 200);
}

#[actix_web::test]
async fn everything_has_a_name() {
    let site = filled().await;
    let browser = site.open();
    wait_until_filled(&browser);
    for (what, nodes) in [
        (
            "inputs without a label",
            "[...document.querySelectorAll('input, select, textarea')].filter((node) => node.labels.length === 0)",
        ),
        (
            "table headers without a scope",
            "[...document.querySelectorAll('th')].filter((node) => !node.scope)",
        ),
        (
            "tables without a caption",
            "[...document.querySelectorAll('table')].filter((node) => !node.caption?.textContent)",
        ),
        (
            "sections without a heading",
            "[...document.querySelectorAll('section')].filter((node) => !document.getElementById(node.getAttribute('aria-labelledby'))?.matches('h2'))",
        ),
        (
            "buttons without a name",
            "[...document.querySelectorAll('button')].filter((node) => !(node.ariaLabel || node.textContent.trim()))",
        ),
        (
            "ids that are there twice",
            "[...document.querySelectorAll('[id]')].filter((node) => document.querySelectorAll('#' + node.id).length > 1)",
        ),
        (
            "references to nothing",
            "[...document.querySelectorAll('[aria-labelledby], [aria-describedby]')].filter((node) => !document.getElementById(node.getAttribute('aria-labelledby') ?? node.getAttribute('aria-describedby')))",
        ),
        (
            "scrolling boxes out of reach of the keyboard",
            "[...document.querySelectorAll('.scroll, pre')].filter((node) => node.scrollWidth > node.clientWidth && node.tabIndex < 0 && !node.querySelector('a, button'))",
        ),
    ] {
        let found = browser.run(&format!(
            "return {nodes}.map((node) => node.outerHTML.slice(0, 80))"
        ));
        assert_eq!(found, serde_json::json!([]), "{what}");
    }
    assert_eq!(browser.run("return document.documentElement.lang"), "en");
    for landmark in ["header", "nav", "main", "footer"] {
        assert_ne!(
            browser.run(&format!(
                "return document.querySelectorAll('{landmark}').length"
            )),
            0
        );
    }
    // Two buttons that do different things are not called the same.
    let names = "const names = [...document.querySelectorAll('tbody button')].map((node) => node.ariaLabel);
        return names.every((name) => /[0-9]/.test(name))";
    assert_eq!(browser.run(names), true);
}
