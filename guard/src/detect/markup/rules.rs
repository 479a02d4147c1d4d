//! The rules by name, each with its reason.
//!
//! Sources: the tokenizer of the HTML standard (13.2.5), the HTML5 Security Cheatsheet (html5sec.org), OWASP's filter
//! evasion cheat sheet, and libinjection's tests for cross-site scripting.

/// A script element: runs whatever stands in it, or in its `src`. Prose that mentions the tag has no code in it.
pub(super) const SCRIPT_ELEMENT: &str = "xss.script-element";
/// An attribute that is an event handler, in a tag.
pub(super) const EVENT_HANDLER: &str = "xss.event-handler";
/// A URL of `javascript:` or `vbscript:` with code in it, in an attribute, a link of Markdown, or as the whole value.
pub(super) const SCRIPT_URL: &str = "xss.script-url";
/// A URL that starts with letters written as character references, and is no mail address.
pub(super) const HIDDEN_SCHEME: &str = "xss.hidden-scheme";
/// A `data:` URL of a type that browsers run scripts in.
pub(super) const DATA_URL: &str = "xss.data-url";
/// Style that runs scripts or binds behaviour: `expression()`, `-moz-binding`, `behavior`, a script URL, an import of data.
pub(super) const STYLE: &str = "xss.style";
/// `object`, `embed`, `applet`: plugins and documents with the page's rights.
pub(super) const EMBEDDED_OBJECT: &str = "xss.embedded-object";
/// `iframe` with `srcdoc`: a document with the page's origin.
pub(super) const FRAME_DOCUMENT: &str = "xss.frame-document";
/// `base` with `href`: all relative scripts of the page come from elsewhere.
pub(super) const BASE_URL: &str = "xss.base-url";
/// `meta` that sends the visitor elsewhere, sets a cookie, or changes the character set to one with other brackets.
pub(super) const META: &str = "xss.meta";
/// `link` that imports a document, or a style sheet from another site.
pub(super) const LINK: &str = "xss.link";
/// `set` and `animate` of SVG that write to a link, a handler, or the markup itself.
pub(super) const ANIMATION: &str = "xss.animation";
/// Style sheets, entities, and default attributes of XML, which bring in markup or scripts.
pub(super) const XML: &str = "xss.xml";
/// Data binding, behaviours, and event listeners by markup: Internet Explorer, XML Events.
pub(super) const LEGACY_BINDING: &str = "xss.legacy-binding";
/// A quote that ends the attribute in which the value is shown, and an attribute with code after it.
pub(super) const ATTRIBUTE_BREAK_OUT: &str = "xss.attribute-break-out";
/// A quote that ends the string of a script in which the value is shown, and a call of a function that attacks use.
pub(super) const STRING_BREAK_OUT: &str = "xss.string-break-out";

pub(super) const ALL: &[&str] = &[
    SCRIPT_ELEMENT,
    EVENT_HANDLER,
    SCRIPT_URL,
    HIDDEN_SCHEME,
    DATA_URL,
    STYLE,
    EMBEDDED_OBJECT,
    FRAME_DOCUMENT,
    BASE_URL,
    META,
    LINK,
    ANIMATION,
    XML,
    LEGACY_BINDING,
    ATTRIBUTE_BREAK_OUT,
    STRING_BREAK_OUT,
];
