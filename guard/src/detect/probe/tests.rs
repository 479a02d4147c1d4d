use super::*;

fn rule(path: &str) -> Option<&'static str> {
    inspect(path.as_bytes()).map(Match::rule)
}

/// Rules, paths that they find, and paths that nobody may be refused for.
type Case = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

const CASES: &[Case] = &[
    (
        "probe.dotfile",
        &[
            "/.env",
            "/.ENV",
            "/.env.production",
            "/shop/.env.bak",
            "/.env~",
            "/prod.env",
            "/.htpasswd",
            "/x/.npmrc",
        ],
        &[
            "/.well-known/security.txt",
            "/env",
            "/environment",
            "/dotenv",
            "/tags/.htaccess",
            "/.rss",
        ],
    ),
    (
        "probe.vcs",
        &["/.git/HEAD", "/.git", "/app/.svn/entries", "/.gitignore"],
        &[
            "/git",
            "/team/project.git/info/refs",
            "/blob/main/.gitignore",
            "/digit/.gitx",
        ],
    ),
    (
        "probe.credentials",
        &[
            "/id_rsa",
            "/home/.ssh/known_hosts",
            "/.aws/credentials",
            "/blog/wp-config.php",
            "/etc/passwd",
        ],
        &[
            "/id_rsa.pub",
            "/aws/credentials-explained",
            "/blog/etc/passwd",
            "/config.json",
            "/appsettings.json",
        ],
    ),
    (
        "probe.backup",
        &[
            "/shop.sql",
            "/backup/shop.sql",
            "/backups/2024/shop.sql",
            "/backup.tar.gz",
            "/inc/settings.php~",
            "/index.php.bak",
            "/.wp-config.php.swp",
        ],
        &[
            "/files/schema.sql",
            "/backup/",
            "/scripts/notes.bak",
            "/downloads/release.zip",
            "/php",
        ],
    ),
    (
        "probe.cms",
        &[
            "/wp-login.php",
            "/news/wp-admin/",
            "/xmlrpc.php",
            "/administrator/",
            "/wp-content/plugins/gallery/upload.php",
            "/js/FCKeditor/editor/fckeditor.html",
        ],
        &[
            "/wp-content/uploads/2014/05/cat.jpg",
            "/wp-content/themes/plain/style.css",
            "/tag/wp-admin/",
            "/help/administrator",
            "/index.php",
            "/fckeditor",
        ],
    ),
    (
        "probe.admin",
        &[
            "/phpMyAdmin/",
            "/phpmyadmin-4.9/index.php",
            "/manager/html",
            "/actuator/env",
            "/solr/admin/cores",
            "/admin.php",
        ],
        &[
            "/admin",
            "/admin/",
            "/admin/users",
            "/manager",
            "/actuator/health",
            "/phpmyadmin-alternatives",
            "/articles/phpmyadmin",
            "/solr",
        ],
    ),
    (
        "probe.device",
        &[
            "/HNAP1/",
            "/boaform/admin/formLogin",
            "/cgi-bin/luci",
            "/remote/fgt_lang",
        ],
        &["/remote", "/notes/cgi-bin", "/remote/work", "/shell"],
    ),
    (
        "probe.information",
        &["/phpinfo.php", "/tools/phpinfo.php", "/server-status"],
        &["/phpinfo", "/status", "/about/server-status"],
    ),
    (
        "probe.exploit",
        &[
            "/lib/vendor/phpunit/phpunit/src/Util/PHP/eval-stdin.php",
            "/_ignition/execute-solution",
        ],
        &["/vendor/list", "/blog/phpunit"],
    ),
    (
        "probe.webshell",
        &["/uploads/c99.php", "/wso.php", "/ALFACGIAPI/perl.alfa"],
        &["/shell", "/c99", "/alfa"],
    ),
    (
        "probe.metadata",
        &["/latest/meta-data/iam/", "/computeMetadata/v1/"],
        &[
            "/latest",
            "/latest/news",
            "/metadata",
            "/docs/latest/user-data",
        ],
    ),
];

#[test]
fn each_rule_finds_its_paths_and_leaves_what_is_like_them() {
    for (expected, probes, others) in CASES {
        for path in *probes {
            assert_eq!(rule(path), Some(*expected), "{path}");
        }
        for path in *others {
            assert_eq!(rule(path), None, "{path}");
        }
    }
}

#[test]
fn each_rule_has_cases_and_entries() {
    let tested: Vec<_> = CASES.iter().map(|(rule, ..)| *rule).collect();
    assert_eq!(tested, RULES);
    let mut listed: Vec<_> = built_in().map(|entry| entry.rule()).collect();
    listed.dedup();
    assert_eq!(listed, RULES);
}

#[test]
fn each_line_is_an_entry_and_is_there_once() {
    let mut lines: Vec<_> = include_str!("paths.txt")
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with(['#', '[']))
        .collect();
    assert_eq!(built_in().count(), lines.len());
    let all = lines.len();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), all);
    for line in lines {
        assert!(Entry::parse("x", line).is_some(), "{line}");
    }
}

#[test]
fn each_entry_is_found_where_it_says() {
    for line in include_str!("paths.txt").lines() {
        if line.is_empty() || line.starts_with(['#', '[']) {
            continue;
        }
        let path = format!("/{}", line.trim_start_matches('/'))
            .replace("*.", "x.")
            .replace('*', "1");
        assert!(inspect(path.as_bytes()).is_some(), "{line}");
    }
}

#[test]
fn what_is_no_entry_is_not_taken_for_one() {
    for line in ["", "/", "*", "/*", "a/*", "*sql", "Shell.php"] {
        assert_eq!(Entry::parse("x", line), None, "{line}");
    }
}

#[test]
fn spellings_of_a_path_are_the_same() {
    for path in [
        "//.env",
        "/./.env",
        "/.env/",
        "/x/..;/.env",
        "/x/..;a=b/.env;c",
        "\\.env",
        "/.env\0.png",
        "/.env ",
        "/x/../.env",
        "/../.env",
    ] {
        assert_eq!(rule(path), Some("probe.dotfile"), "{path:?}");
    }
    assert_eq!(rule("/x/../manager/./html;v=1/"), Some("probe.admin"));
    assert_eq!(rule("/cgi-bin/../about"), None);
}

#[test]
fn any_bytes_are_a_path() {
    for path in [&b""[..], b"/", b"\xff\xfe", b"/\xc0\xae/\0", b";;;", b"/%"] {
        assert!(inspect(path).is_none());
    }
    assert!(inspect(b"/\xff/.git/config").is_some());
}

#[test]
fn a_route_names_what_was_found_by_a_literal_segment_only() {
    for (path, naming, others) in [
        (
            "/wp-admin/x",
            &["/wp-admin/{tail}*", "/WP-Admin/x", "/{site}/wp-admin"][..],
            &[
                "",
                "/{slug}",
                "/{tail:.*}",
                "/static/{file:[a-z/]*}",
                "/{wp-admin}",
                "/wp-{x}",
            ][..],
        ),
        (
            "/.env.local",
            &["/.env.local", "/.env"],
            &["/{file}", "/{file}.local"],
        ),
        (
            "/shop.sql",
            &["/shop.sql", "/{name}.sql"],
            &["/{name}.{ending}", "/{sql}", "/sql"],
        ),
        (
            "/actuator/env",
            &["/actuator/env", "/actuator/{endpoint}"],
            &["/{a}/{b}", "/{tail}*"],
        ),
    ] {
        let found = inspect(path.as_bytes()).unwrap();
        for pattern in naming {
            assert!(found.is_named_by(pattern), "{path} {pattern}");
        }
        for pattern in others {
            assert!(!found.is_named_by(pattern), "{path} {pattern}");
        }
    }
}
