use super::*;

/// Rules, values that break them, and values that don't.
type Case = (
    &'static str,
    &'static [&'static [u8]],
    &'static [&'static [u8]],
);

const CASES: &[Case] = &[
    (
        CLIMB,
        &[
            b"../../../../conf/app.yml",
            b"..\\..\\..\\..\\secret.txt",
            b"/img/../../x",
            b"img/../../../x",
            b"see ../../../../../../x",
            b"./../../../../x",
        ],
        &[
            b"../docs/readme.md",
            b"../../lib/util.js",
            b"import x from '../../../lib/util'",
            b"a/../b",
            b"/a/../b",
            b"a/../../b",
            b"wait... what../",
            b"v1...v2",
            b"1..10",
            b"..",
            b"../",
            b"and so on../..",
        ],
    ),
    (
        FILE,
        &[
            b"../etc/passwd",
            b"..\\..\\Windows\\win.ini",
            b"/static/../../etc/passwd",
            b"page=../../../etc/hosts",
            b"x/..//..///proc/self/environ",
            b"/etc/passwd",
            b"/././etc/./passwd",
            b"../static/.././etc/.\\shadow",
            b"C:\\boot.ini",
            b"file:///etc/passwd",
            b"/WEB-INF/web.xml",
        ],
        &[
            b"how do I edit /etc/hosts?",
            b"/etc/passwd is world-readable",
            b"/etc/hosts",
            b"/etc/passwd-policy",
            b"\"/etc/httpd/conf/mime.types\", # Apache",
            b"C:\\Users\\me\\Documents",
            b"file:///C:/Users/me/page.html",
            b"../etc/config.md",
        ],
    ),
    (
        DISGUISED,
        &[
            b"....//....//x",
            b"....\\\\x",
            b"/a/..;/manager",
            b"..;/..;/x",
            b"..././..././x",
        ],
        &[
            b"well ....",
            b"and then..../or",
            b".../x",
            b"wait..././x",
            b"a..;b",
            b"; ..;",
        ],
    ),
    (
        OVERLONG,
        &[
            b"\xc0\xae\xc0\xae/x",
            b"..\xc0\xafx",
            b"..\xc0/x",
            b".\xc0.\\x",
            b"x\xc0\\..",
        ],
        &[
            "\u{ae}\u{af}".as_bytes(),
            b"\xc0",
            b"\xc0x",
            b"\x8a\xc0/\x91.\xc0.",
            b"\xc0\xaf\xd1",
        ],
    ),
    (
        NULL_BYTE,
        &[b"index.php\0", b"../x\0.png", b"/x\0"],
        &[
            b"\0",
            b"a\0b\0",
            b"\x89PNG\r\n\x1a\n\0.x",
            b"name\0",
            b"x.y\0 and more",
        ],
    ),
    (
        WRAPPER,
        &[
            b"php://filter/convert.base64-encode/resource=index",
            b"PHP://input",
            b"expect://id",
            b"data://text/plain;base64,eA==",
        ],
        &[
            b"https://example.org/",
            b"php://stdin",
            b"php://input gives the body of a request",
            b"data:image/png;base64,iVBO",
            b"read php://filter",
        ],
    ),
];

#[test]
fn each_rule_finds_its_values_and_leaves_what_is_like_them() {
    for (rule, attacks, others) in CASES {
        for value in *attacks {
            assert_eq!(inspect(value), Some(*rule), "{}", value.escape_ascii());
        }
        for value in *others {
            assert_eq!(inspect(value), None, "{}", value.escape_ascii());
        }
    }
    let tested: Vec<_> = CASES.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(tested, RULES);
}

#[test]
fn a_path_may_go_up_as_long_as_it_stays_inside() {
    for (path, expected) in [
        (&b"/"[..], None),
        (b"/a/b/../c", None),
        (b"/a/../b", None),
        (b"/a/b/../../c", None),
        (b"/compare/v0.1...v0.2", None),
        (b"/compare/a..b", None),
        (b"/etc/passwd", None),
        (b"/\xff/\xe9", None),
        (b"/..", Some(CLIMB)),
        (b"/a/../../b", Some(CLIMB)),
        (b"/a/..\\..\\b", Some(CLIMB)),
        (b"/static/../../etc/passwd", Some(FILE)),
        (b"/../windows/win.ini", Some(FILE)),
        (b"/a/..;/b", Some(DISGUISED)),
        (b"/a\0b", None),
        (b"/x.php\0.png", Some(NULL_BYTE)),
        (b"/\xc0\xae\xc0\xae/x", Some(OVERLONG)),
    ] {
        assert_eq!(inspect_path(path), expected, "{}", path.escape_ascii());
    }
}
