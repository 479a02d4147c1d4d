//! What an element does by itself, or by attributes that mean harm on it only.
//!
//! Must not know: attributes that mean the same on all elements.

use super::code::is_code;
use super::event;
use super::rules::{
    ANIMATION, BASE_URL, DATA_URL, EMBEDDED_OBJECT, FRAME_DOCUMENT, LEGACY_BINDING, LINK, META,
    SCRIPT_ELEMENT, STYLE, XML,
};
use super::tags::Tag;
use super::text::{after, contains};
use super::url::Url;
use super::{attribute, style};
use crate::detect::decode::html_entities;

/// The rule that an element breaks.
pub(super) fn inspect(tag: &Tag<'_>) -> Option<&'static str> {
    let mut checks = CHECKS.iter().filter(|(names, _)| {
        names
            .iter()
            .any(|name| tag.name.eq_ignore_ascii_case(name.as_bytes()))
    });
    if is_script(tag) {
        return (!is_mention(tag)).then_some(SCRIPT_ELEMENT);
    }
    if becomes_script(tag) {
        return Some(SCRIPT_ELEMENT);
    }
    if is_transformation(tag.name) {
        return Some(XML);
    }
    checks.find_map(|(_, check)| check(tag))
}

type Check = fn(&Tag<'_>) -> Option<&'static str>;

const CHECKS: &[(&[&str], Check)] = &[
    (&["object", "embed", "applet"], embedded_object),
    (&["iframe", "frame"], frame),
    (&["base"], base),
    (&["meta"], meta),
    (&["link"], link),
    (&["style"], style_element),
    (
        &["set", "animate", "animatetransform", "animatemotion"],
        animation,
    ),
    (
        &["image", "use", "feimage", "foreignobject", "animation"],
        svg_reference,
    ),
    (&["xml"], xml_island),
    (&["import"], import),
    (&["listener", "handler", "event-source"], listener),
    (&["isindex", "vmlframe"], legacy),
];

/// Also in a namespace of XML, but not in one of Rust and C++, and with junk that old browsers took for the end of the name: `<script<`.
fn is_script(tag: &Tag<'_>) -> bool {
    let local = tag
        .name
        .rsplit(|byte| *byte == b':')
        .next()
        .unwrap_or_default();
    after("script", local).is_some_and(|junk| {
        let first = junk.first();
        first.is_none_or(|byte| !byte.is_ascii_alphanumeric() && !b"-_,.".contains(byte))
    }) && !contains(tag.name, b"::")
}

/// `<scr<script>ipt>`: a filter that takes the inner tag away makes the outer one.
fn becomes_script(tag: &Tag<'_>) -> bool {
    const NAME: &[u8] = b"script";
    let Some(at) = memchr::memchr(b'<', tag.name) else {
        return false;
    };
    let start = tag.name.get(..at).unwrap_or_default();
    let end = tag.after.strip_prefix(b">").unwrap_or_default();
    let missing = NAME.get(at..).unwrap_or_default();
    NAME.get(..at)
        .is_some_and(|name| name.eq_ignore_ascii_case(start))
        && end
            .get(..missing.len())
            .is_some_and(|end| end.eq_ignore_ascii_case(missing))
}

/// Whether prose speaks of the tag, or it is a type: it stands alone, and what comes after it is no code.
fn is_mention(tag: &Tag<'_>) -> bool {
    let rest = tag.after.strip_prefix(b">").unwrap_or(tag.after);
    let content = script_content(rest);
    let loads_nothing = tag.attributes.iter().all(|it| it.value.is_empty());
    loads_nothing
        && (cannot_start_script(content)
            || is_prose(tag.before, content)
            || is_type(tag.before, content, rest))
}

/// `Array<Script>`: directly behind a word, of which the value says no more.
fn is_type(before: Option<u8>, content: &[u8], rest: &[u8]) -> bool {
    before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && content.len() == rest.len()
        && !is_code(content)
}

/// `Option<Script>, …`: no script starts so, and one that does not parse does not run.
fn cannot_start_script(content: &[u8]) -> bool {
    let first = content.first();
    first.is_some_and(|byte| b">,)]}=|&*:?".contains(byte))
}

fn is_prose(before: Option<u8>, content: &[u8]) -> bool {
    if before.is_some_and(|byte| !b" \n`'\"(".contains(&byte)) {
        return false;
    }
    // The end of what Markdown shows as code.
    let prose = content.strip_prefix(b"`").unwrap_or(content);
    match content.first() {
        None => before.is_some(),
        Some(first) => b" \n`'\".;!".contains(first) && !is_code(prose),
    }
}

/// Up to the end tag, or to the next mention.
fn script_content(rest: &[u8]) -> &[u8] {
    let ends = |at: &usize| {
        let tag = rest.get(at + 1..).unwrap_or_default();
        after("script", tag.strip_prefix(b"/").unwrap_or(tag)).is_some()
    };
    let end = memchr::memchr_iter(b'<', rest).find(ends);
    rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest)
}

/// A style sheet of XSLT, which may make any markup. What stands in one does nothing alone.
fn is_transformation(name: &[u8]) -> bool {
    ["stylesheet", "transform"].iter().any(|sheet| {
        after("xsl:", name).is_some_and(|local| local.eq_ignore_ascii_case(sheet.as_bytes()))
    })
}

fn embedded_object(tag: &Tag<'_>) -> Option<&'static str> {
    let loads = ["data", "src", "code", "classid", "codebase", "archive"];
    has_any(tag, &loads).then_some(EMBEDDED_OBJECT)
}

/// A frame of another site is no script in the page; one that carries its document is.
fn frame(tag: &Tag<'_>) -> Option<&'static str> {
    if tag.attribute("srcdoc").is_some() {
        return Some(FRAME_DOCUMENT);
    }
    let url = Url::of(&html_entities(tag.attribute("src")?));
    if url.is_archive() {
        return Some(FRAME_DOCUMENT);
    }
    url.is_data().then_some(DATA_URL)
}

fn base(tag: &Tag<'_>) -> Option<&'static str> {
    tag.attribute("href").map(|_| BASE_URL)
}

fn meta(tag: &Tag<'_>) -> Option<&'static str> {
    let content = lowercase(tag.attribute("content"));
    let charset = lowercase(tag.attribute("charset"));
    let changes = match lowercase(tag.attribute("http-equiv")).trim_ascii() {
        // To another page of the same site it is what manuals do.
        b"refresh" => contains(&content, b":") || contains(&content, b"//"),
        b"set-cookie" | b"link" => true,
        _ => hides_brackets(&content) || hides_brackets(&charset),
    };
    changes.then_some(META)
}

/// Character sets in which other bytes than those of ASCII are brackets.
fn hides_brackets(charset: &[u8]) -> bool {
    [&b"utf-7"[..], b"utf7", b"mac-farsi", b"us-ascii"]
        .iter()
        .any(|name| contains(charset, name))
}

fn link(tag: &Tag<'_>) -> Option<&'static str> {
    let relation = lowercase(tag.attribute("rel"));
    if contains(&relation, b"import") {
        return Some(LINK);
    }
    let href = tag.attribute("href")?;
    let url = Url::of(&html_entities(href));
    (contains(&relation, b"stylesheet") && (url.is_elsewhere() || url.is_data())).then_some(LINK)
}

pub(super) fn is_style(tag: &Tag<'_>) -> bool {
    tag.name.eq_ignore_ascii_case(b"style")
}

/// Up to the next end tag, within what is looked at.
pub(super) fn style_content<'a>(tag: &Tag<'a>) -> &'a [u8] {
    let content = tag.after.get(..style::LIMIT).unwrap_or(tag.after);
    let mut angles = memchr::memchr_iter(b'<', content);
    let end = angles.find(|at| content.get(at + 1) == Some(&b'/'));
    content
        .get(..end.unwrap_or(content.len()))
        .unwrap_or(content)
}

fn style_element(tag: &Tag<'_>) -> Option<&'static str> {
    if tag.is_in_style {
        return None;
    }
    let content = style_content(tag);
    let is_script = contains(&lowercase(tag.attribute("type")), b"script");
    (is_script || hides_tags(content) || style::is_active(content)).then_some(STYLE)
}

/// In SVG, character references in style count; style sheets have no use for them.
fn hides_tags(content: &[u8]) -> bool {
    contains(content, b"&lt;") || contains(content, b"&#")
}

/// Animations of colours are harmless; those of links and handlers are not.
fn animation(tag: &Tag<'_>) -> Option<&'static str> {
    let target = tag.attribute("attributename")?.trim_ascii();
    let local = target.rsplit(|byte| *byte == b':').next()?;
    let is_harmful = local.eq_ignore_ascii_case(b"href")
        || local.eq_ignore_ascii_case(b"innerhtml")
        || event::is_handler(local);
    (is_harmful && has_any(tag, &["to", "from", "values", "by"])).then_some(ANIMATION)
}

/// Elements of SVG for which an image of SVG is a document.
fn svg_reference(tag: &Tag<'_>) -> Option<&'static str> {
    (is_data(tag, "xlink:href") || is_data(tag, "href")).then_some(DATA_URL)
}

fn xml_island(tag: &Tag<'_>) -> Option<&'static str> {
    has_any(tag, &["id", "src"]).then_some(LEGACY_BINDING)
}

fn import(tag: &Tag<'_>) -> Option<&'static str> {
    has_any(tag, &["namespace", "implementation"]).then_some(LEGACY_BINDING)
}

fn listener(tag: &Tag<'_>) -> Option<&'static str> {
    has_any(tag, &["event", "handler", "src"]).then_some(LEGACY_BINDING)
}

fn legacy(tag: &Tag<'_>) -> Option<&'static str> {
    has_any(tag, &["action", "type", "src", "style"]).then_some(LEGACY_BINDING)
}

fn has_any(tag: &Tag<'_>, names: &[&str]) -> bool {
    let mut attributes = tag.attributes.iter();
    attributes.any(|attribute| names.iter().any(|name| attribute.is(name)))
}

fn is_data(tag: &Tag<'_>, name: &str) -> bool {
    let mut attributes = tag.attributes.iter();
    attributes.any(|it| it.is(name) && Url::of(&attribute::decoded(it)).is_data())
}

fn lowercase(value: Option<&[u8]>) -> Vec<u8> {
    let value = value.unwrap_or_default();
    html_entities(value.get(..512).unwrap_or(value)).to_ascii_lowercase()
}
