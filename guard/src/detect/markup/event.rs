//! Names of event handlers.
//!
//! Sources: the event handler attributes of the HTML standard (8.1.8.2), SVG 2, SMIL, and of Internet Explorer.
//!
//! Must not know: what a handler does.

use super::text::after;

/// In alphabetical order, without `on`.
const EVENTS: &[&str] = &[
    "abort",
    "activate",
    "afterprint",
    "afterscriptexecute",
    "afterupdate",
    "animationcancel",
    "animationend",
    "animationiteration",
    "animationstart",
    "auxclick",
    "beforeactivate",
    "beforecopy",
    "beforecut",
    "beforedeactivate",
    "beforeeditfocus",
    "beforeinput",
    "beforematch",
    "beforepaste",
    "beforeprint",
    "beforescriptexecute",
    "beforetoggle",
    "beforeunload",
    "beforeupdate",
    "begin",
    "blur",
    "bounce",
    "cancel",
    "canplay",
    "canplaythrough",
    "cellchange",
    "change",
    "click",
    "close",
    "command",
    "contentvisibilityautostatechange",
    "contextlost",
    "contextmenu",
    "contextrestored",
    "controlselect",
    "copy",
    "cuechange",
    "cut",
    "dataavailable",
    "datasetchanged",
    "datasetcomplete",
    "dblclick",
    "deactivate",
    "drag",
    "dragdrop",
    "dragend",
    "dragenter",
    "dragexit",
    "dragleave",
    "dragover",
    "dragstart",
    "drop",
    "durationchange",
    "emptied",
    "end",
    "ended",
    "error",
    "errorupdate",
    "filterchange",
    "finish",
    "focus",
    "focusin",
    "focusout",
    "formchange",
    "formdata",
    "forminput",
    "fullscreenchange",
    "fullscreenerror",
    "gesturechange",
    "gestureend",
    "gesturestart",
    "gotpointercapture",
    "hashchange",
    "help",
    "input",
    "invalid",
    "keydown",
    "keypress",
    "keyup",
    "languagechange",
    "layoutcomplete",
    "load",
    "loadeddata",
    "loadedmetadata",
    "loadend",
    "loadstart",
    "losecapture",
    "lostpointercapture",
    "message",
    "messageerror",
    "mousedown",
    "mouseenter",
    "mouseleave",
    "mousemove",
    "mouseout",
    "mouseover",
    "mouseup",
    "mousewheel",
    "move",
    "moveend",
    "movestart",
    "offline",
    "online",
    "pagehide",
    "pagereveal",
    "pageshow",
    "pageswap",
    "paste",
    "pause",
    "play",
    "playing",
    "pointercancel",
    "pointerdown",
    "pointerenter",
    "pointerleave",
    "pointermove",
    "pointerout",
    "pointerover",
    "pointerrawupdate",
    "pointerup",
    "popstate",
    "progress",
    "propertychange",
    "ratechange",
    "readystatechange",
    "rejectionhandled",
    "repeat",
    "reset",
    "resize",
    "resizeend",
    "resizestart",
    "rowenter",
    "rowexit",
    "rowsdelete",
    "rowsinserted",
    "scroll",
    "scrollend",
    "scrollsnapchange",
    "scrollsnapchanging",
    "search",
    "securitypolicyviolation",
    "seeked",
    "seeking",
    "select",
    "selectionchange",
    "selectstart",
    "show",
    "slotchange",
    "stalled",
    "start",
    "stop",
    "storage",
    "submit",
    "suspend",
    "syncrestored",
    "timeerror",
    "timer",
    "timeupdate",
    "toggle",
    "touchcancel",
    "touchend",
    "touchmove",
    "touchstart",
    "transitioncancel",
    "transitionend",
    "transitionrun",
    "transitionstart",
    "unhandledrejection",
    "unload",
    "urlflip",
    "volumechange",
    "waiting",
    "webkitanimationend",
    "webkitanimationiteration",
    "webkitanimationstart",
    "webkittransitionend",
    "wheel",
    "zoom",
];

/// What `on` is followed by, also after a prefix of XML: `x:ontimer`.
fn after_on(name: &[u8]) -> Option<&[u8]> {
    let local = name.rsplit(|byte| *byte == b':').next()?;
    match local {
        [b'o' | b'O', b'n' | b'N', event @ ..] => Some(event),
        _ => None,
    }
}

/// Whether an attribute of this name is a handler.
pub(super) fn is_handler(name: &[u8]) -> bool {
    after_on(name).is_some_and(|event| {
        let order = |known: &&str| lowercase(known.as_bytes()).cmp(lowercase(event));
        EVENTS.binary_search_by(order).is_ok()
    })
}

/// Whether it may be one that is not in the list: browsers get new ones.
pub(super) fn may_be_handler(name: &[u8]) -> bool {
    after_on(name)
        .is_some_and(|event| event.len() >= 3 && event.iter().all(u8::is_ascii_alphabetic))
}

/// Whether Vue, Alpine or Angular takes its value for an expression: `@click`, `v-html`, `ng-focus`.
pub(super) fn may_be_expression(name: &[u8]) -> bool {
    ["@", "v-", "x-", "ng-"]
        .iter()
        .any(|prefix| after(prefix, name).is_some_and(|rest| !rest.is_empty()))
}

fn lowercase(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().map(u8::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_events_are_in_order_for_the_search() {
        assert!(EVENTS.is_sorted());
    }

    #[test]
    fn handlers_are_told_from_other_words_with_on() {
        for name in ["onclick", "ONERROR", "onBegin", "onzoom", "x:ontimer"] {
            assert!(is_handler(name.as_bytes()), "{name}");
        }
        for name in [
            "on", "once", "only", "on-click", "one", "click", "", "onclickx",
        ] {
            assert!(!is_handler(name.as_bytes()), "{name}");
        }
        assert!(may_be_handler(b"onsomethingnew"));
        assert!(!may_be_handler(b"one") && !may_be_handler(b"on-something"));
    }
}
