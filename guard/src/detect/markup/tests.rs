use proptest::prelude::*;

use super::{RULES, inspect};

/// What each rule finds.
const ATTACKS: &[(&str, &[&str])] = &[
    (
        "xss.script-element",
        &[
            "<scr<script>ipt>go()</scr</script>ipt>",
            "\\u003cscript\\u003ego()\\u003c/script\\u003e",
            "<script>steal()</script>",
            "hello<ScRiPt >top.x=1</sCrIpT>",
            "\"><script src=//evil.example/a.js></script>",
            "<script/x>go()",
            "<script>",
            "<svg:script>go()</svg:script>",
            "<!-- --><script>go()</script>",
            "<img alt=\"<script>go()</script>\">",
            "<scr\0ipt>go()</scr\0ipt>",
            "explains <script>go()</script> by running it",
        ],
    ),
    (
        "xss.event-handler",
        &[
            "<b @click=alert(7)>",
            "<b v-html=\"''.constructor.constructor('go()')()\">",
            "\\x3cimg src=x onerror=go()\\x3e",
            "<img src=x onerror=go()>",
            "<img/src='x'/OnError = 'go()'",
            "<svg\tonload\n=\ngo()>",
            "</p onclick=go()>",
            "<x-y onnewevent=go()>",
            "<x:y x:ontimer=1>",
            "<p title='\"><b onfocus=go()>'>",
            "<!--<p a=\"--><b onclick=1>\">",
            "<img src=`x`onerror=go()>",
        ],
    ),
    (
        "xss.script-url",
        &[
            "<a href=javascript:go?.(7)>",
            "<a href=javascript:go()>",
            "<a href=' \u{1}java\tscr\nipt:go()'>",
            "<a href=javascript&colon;go&lpar;1&rpar;>",
            "<form action=\"VBScript:go(1)\">",
            "<a href=\"javascript:%67o%281%29\">",
            "<a href=\"javascript:\\u0067o\\u0028\">",
            "<img src=`javascript:go()`>",
            "javascript:go(document.cookie)",
            "  JavaScript:x=1",
            "javascript:a`1`",
            "[here](javascript:go(1))",
        ],
    ),
    (
        "xss.hidden-scheme",
        &["<a href=jav&#97;zcript:go()>", "<img src='&#x6a;avas'>"],
    ),
    (
        "xss.data-url",
        &[
            "<a href='data:text/html,hi'>",
            "<iframe src=\"data:image/svg+xml,x\">",
            "<image xlink:href='data:image/svg+xml,x'>",
            "<a href=\"data:text&Tab;/html,hi\">",
            "data:text/html;base64,PGI+",
        ],
    ),
    (
        "xss.style",
        &[
            "<p style='width:expression(go())'>",
            "<p style=\"width:exp/**/ression(go())\">",
            "<p style='width:\\65xpression(go())'>",
            "<p style=\"background:url('java\tscript:go()')\">",
            "<p style=behavior:url(x.htc)>",
            "<p style='font-family:x}b{y:z'>",
            "<p style=\"font-family:'\\3cimg'\">",
            "<style>p{x:expression(go())}</style>",
            "<style>@import 'data:,x';</style>",
            "<style>&lt;b</style>",
            "<style type=text/javascript>go</style>",
        ],
    ),
    (
        "xss.embedded-object",
        &[
            "<object data=//evil.example/x>",
            "<embed src=x.swf>",
            "<applet code=X.class>",
        ],
    ),
    (
        "xss.frame-document",
        &["<iframe srcdoc='&lt;b&gt;'>", "<frame src=mhtml:x!y>"],
    ),
    ("xss.base-url", &["<base href=//evil.example/>"]),
    (
        "xss.meta",
        &[
            "<meta http-equiv=refresh content='0;url=//evil.example'>",
            "<META HTTP-EQUIV=\"Set-Cookie\" CONTENT=\"a=b\">",
            "<meta charset=utf-7>",
        ],
    ),
    (
        "xss.link",
        &[
            "<link rel=stylesheet href=//evil.example/x.css>",
            "<link rel=\"html import\" href=x>",
        ],
    ),
    (
        "xss.animation",
        &[
            "<set attributeName=xlink:href to=x>",
            "<animate attributeName=onclick values=x>",
        ],
    ),
    (
        "xss.xml",
        &[
            "<!ENTITY x SYSTEM 'file:///x'>",
            "<!ENTITY x '&#60;b'>",
            "<!DOCTYPE a [<!ATTLIST b onload CDATA 'd'>]>",
            "<?xml-stylesheet href='#'?>",
            "<xsl:stylesheet version='1.0'>",
        ],
    ),
    (
        "xss.legacy-binding",
        &[
            "<xml id=x></xml>",
            "<span datasrc=#x>",
            "<?import namespace=t>",
            "<import namespace=t implementation=x>",
            "<listener event=load handler=#x>",
            "<isindex type=image>",
        ],
    ),
    (
        "xss.attribute-break-out",
        &[
            "\" onfocus=go() autofocus x=\"",
            "' autofocus onfocus='go()",
            "\"onmouseover=\"go(1)",
            "x' style='x:expression(go())",
            "x\" href=\"javascript:go()",
            "x onmouseover=alert(1)",
            "onmouseover=confirm`1`",
            "<img title=\"x onerror='alert(1)'\">",
        ],
    ),
    (
        "xss.string-break-out",
        &[
            "';alert(1)//",
            "\\\";alert(1)//",
            "'-confirm(1)-'",
            "\"+eval(name)+\"",
            "');document.location='//evil.example'//",
            "x'}};fetch('//evil.example');//",
            "`;alert(7)//",
            "`-confirm(7)-`",
            "${alert(document.domain)}",
            ";prompt(7)//",
            "k);alert(7);//",
            "*/alert(7)/*",
            "-->\nalert(7)\n//<!--",
            "7-alert(7)",
            ");confirm(7);(",
            "'-\\u0061lert(7)-'",
            "';alert?.(7)//",
            "7;confirm(7)",
        ],
    ),
];

/// What people write that comes near.
const ORDINARY: &[&str] = &[
    "",
    "O'Brien",
    "D'Angelo & Sons",
    "I <3 you",
    "a < b and c > d",
    "if a<b && c>d { x = y; }",
    "Vec<String>, HashMap<K, Vec<V>>",
    "Map<Object, String> online = new HashMap<>();",
    "<T as Iterator>::Item",
    "Ann <ann@example.org>",
    "<https://example.org/onload=go()>",
    "pub scripts: Option<Script>, // see run(script)",
    "Vec<Option<Script>> = f(x)",
    "<!DOCTYPE a [<!ENTITY smile ':)'> <!ATTLIST a lang CDATA 'en'>]>",
    "the <?import pseudo-tag",
    "<!ENTITY smile \"&#x1F642;\">",
    "<xsl:template match='/'><xsl:apply-templates/></xsl:template>",
    "Array<Script>",
    "a list of C<script>s to run.",
    "pub fn script(&self) -> Option<names::tags::Script> {",
    "loads it by <script src>, not by hand",
    "data:\n  level: high\n  colours: red, blue",
    "<meta http-equiv=\"refresh\" content=\"0;URL=../../index.html\">",
    "<b @click=\"open = !open\" v-if=\"constructor\">",
    "`width`;\n    document.body.append(`x`);",
    "`;\n alert(`x`)",
    "use `--location=user` or `print(x)` // either",
    "${document.title}",
    "${eval}",
    "});alert('saved'); // tells the user",
    "1 - alert(s)",
    "fn confirm(&self) -> bool {",
    "is: alert(colour) // in red",
    "is it who?.(see below)",
    "<b onwhatever='is it ?.(7)'>",
    "{\"html\":\"\\u003cp\\u003ehello \\\\x3cscript\\u003c/p\\u003e\"}",
    "see <http://example.org/a?b=c>",
    "usage: tool [--on <value>] <file>",
    "never trust a <script> tag (or an onerror) in comments",
    "`<script>` and `onerror` explained",
    "put it between <script> and </script>, at the end",
    "where's the script?",
    "javascript: the good parts (2nd edition)",
    "the javascript: scheme",
    "JavaScript:",
    "javascript:void(0)",
    "data: see table 3",
    "data:image/png;base64,iVBORw0KGgo=",
    "[data](data.html) and [java](java.html)",
    "![logo](data:image/png;base64,iVBORw0KGgo=)",
    "<a href=\"https://example.org/?a=1&b=2\" title=\"one\">x</a>",
    "<a href=\"javascript:void(0);\">top</a>",
    "<a href=\"&#109;&#97;&#105;&#108;&#116;&#111;&#58;ann@example.org\">mail</a>",
    "<img src=\"a.png\" alt=\"on error = none\" width=10>",
    "<img src=\"data:image/png;base64,iVBORw0KGgo=\">",
    "<p style=\"color: red; background: url(a.png)\">x</p>",
    "<p style=\"width: {{ width }}%\">",
    "<style>p { color: red }</style>",
    "<iframe width=\"560\" src=\"https://video.example/embed/1\"></iframe>",
    "<table width=\"99%\" border=\"0\">",
    "<meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"30\">",
    "<link rel=\"stylesheet\" href=\"/site.css\">",
    "<link rel=\"icon\" href=\"https://example.org/x.png\">",
    "<svg width=\"1\"><animate attributeName=\"opacity\" to=\"1\"/></svg>",
    "<object> and <embed> and <base>",
    "<!DOCTYPE html><html lang=en>",
    "<?xml version=\"1.0\"?><xml>",
    "<toy once=1 only=2 one=3 onhand=\"5\">",
    "React's onclick=save() does not fire",
    "the button's onclick=save() and 'onblur=check()'",
    "rmtree(path, onerror=handler)",
    "f('x', onerror=g(1))",
    "print('a'); alert('b')",
    "\"to be\" + \"or not\"",
    "'tis; document this",
    "he said \"fetch(it)\"",
    "document.title = 'x'",
    "Симонов, имо <нет> = (да)",
    "他说（“好”）：＜一＞",
];

#[test]
fn each_rule_finds_its_attacks() {
    for (rule, attacks) in ATTACKS {
        for attack in *attacks {
            assert_eq!(inspect(attack.as_bytes()), Some(*rule), "{attack}");
        }
    }
}

#[test]
fn each_rule_has_attacks() {
    assert!(RULES.iter().eq(ATTACKS.iter().map(|(rule, _)| rule)));
}

#[test]
fn ordinary_text_and_harmless_markup_pass() {
    for ordinary in ORDINARY {
        assert_eq!(inspect(ordinary.as_bytes()), None, "{ordinary}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(value in proptest::collection::vec(any::<u8>(), 0..400)) {
        inspect(&value);
    }

    #[test]
    fn any_markup_is_read(
        value in "(<|>|/|=|\"|'|`| |\0|a|on|script|style|meta|javascript:|data:|&#|x6a|;|\\\\|/\\*|\\*/|]\\(|\\(){0,60}",
    ) {
        inspect(value.as_bytes());
    }

    #[test]
    fn words_are_never_markup(value in "[\\p{L}\\p{N} .,;:!?'()@+/_-]{0,80}") {
        prop_assert_eq!(inspect(value.as_bytes()), None);
    }

    #[test]
    fn a_script_is_found_behind_anything_that_is_closed(before in "[^<>\0]{0,40}") {
        let value = format!("{before}><script>alert(1)</script>");
        prop_assert!(inspect(value.as_bytes()).is_some());
    }
}
