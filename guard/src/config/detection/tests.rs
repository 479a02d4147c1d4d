use crate::config::{SecurityConfig, SecurityConfigBuilder};
use crate::detect::{Action, Category};

fn read(toml: &str) -> Result<SecurityConfig, String> {
    SecurityConfig::from_toml(toml).map_err(|error| error.to_string())
}

const EVERYTHING: &str = r#"
[detection]
probe = "refuse"
xss = "off"
cross_site = "log"
headers = ["Referer", "x-search"]
exempt_paths = ["/posts/{id}"]
silenced_rules = ["own.secret"]
body_bytes = 4096
body = "strike"

[[detection.rules]]
id = "own.secret"
category = "probe"
place = "path"
pattern = "^/secret"

[[detection.rules]]
id = "own.header"
category = "command"
place = "header:X-Search"
pattern = "(?i)rm -rf"
"#;

#[test]
fn the_table_sets_what_it_names_and_reads_back() {
    let config = read(EVERYTHING).unwrap();
    let table = &config.settings().detection;
    let detection = &table.detection;
    assert_eq!(detection.action(Category::Probe), Action::Refuse);
    assert_eq!(detection.action(Category::Xss), Action::Off);
    assert_eq!(detection.action(Category::Sqli), Action::Strike);
    assert_eq!(detection.headers, ["referer", "x-search"]);
    assert_eq!(detection.rules.len(), 2);
    assert!(table.exempt_paths.matches("/posts/7"));
    let printed = config.to_string();
    let again = read(&printed).unwrap();
    assert_eq!(*table, again.settings().detection);
    assert_eq!(again.to_string(), printed);
}

#[test]
fn setters_and_files_add_up_key_by_key() {
    let builder = |builder: SecurityConfigBuilder| {
        let builder = builder
            .toml("[detection]\nxss = \"log\"\nsqli = \"off\"")
            .unwrap();
        builder
            .detection(Category::Sqli, Action::Refuse)
            .build()
            .unwrap()
    };
    let config = builder(SecurityConfig::builder().detection_body_bytes(7));
    let detection = &config.settings().detection.detection;
    assert_eq!(detection.action(Category::Xss), Action::Log);
    assert_eq!(detection.action(Category::Sqli), Action::Refuse);
    assert_eq!(detection.body_bytes, 7);
}

#[test]
fn mistakes_are_named_by_their_key() {
    let rule = |id: &str, category: &str, place: &str, pattern: &str| {
        format!(
            "[[detection.rules]]\nid = {id:?}\ncategory = {category:?}\nplace = {place:?}\npattern = {pattern:?}\n"
        )
    };
    let twice = rule("own.a", "xss", "query", "a") + &rule("own.a", "xss", "query", "b");
    let cases = [
        ("detection = 1", "detection: must be a table, not 1"),
        (
            "[detection]\nsql = \"log\"",
            "detection.sql: unknown field; did you mean sqli?",
        ),
        (
            "[detection]\nsqli = \"ban\"",
            "detection.sqli: must be one of \"strike\", \"refuse\", \"log\", \"off\", not \"ban\"",
        ),
        (
            "[detection]\nheaders = [\"a b\"]",
            "detection.headers: \"a b\" is not the name of a header",
        ),
        (
            "[detection]\nexempt_paths = [\"x\"]",
            "detection.exempt_paths: \"x\"",
        ),
        (
            "[detection]\nsilenced_rules = [\"own.x\"]",
            "detection.silenced_rules: \"own.x\": unknown rule",
        ),
        (
            "[detection]\nbody_bytes = -1",
            "detection.body_bytes: must be at least 0, not -1",
        ),
        (
            &rule("a b", "xss", "query", "a"),
            "detection.rules[0].id: must not contain spaces",
        ),
        (
            &rule("own.a", "html", "query", "a"),
            "detection.rules[0].category: must be one of",
        ),
        (
            &rule("own.a", "xss", "cookie", "a"),
            "detection.rules[0].place: must be \"path\", \"query\"",
        ),
        (
            &rule("own.a", "xss", "query", "(a"),
            "detection.rules[0].pattern: must be a regular expression",
        ),
        (
            &rule("own.a", "xss", "query", ""),
            "detection.rules[0].pattern: must not be empty",
        ),
        (
            &twice,
            "detection.rules[1].id: \"own.a\" is the name of another rule",
        ),
        (
            "[[detection.rules]]\nid = \"own.a\"",
            "detection.rules[0].category: missing",
        ),
        (
            "strike_on_status = [404]",
            "strike_on_status: must not hold 404",
        ),
        (
            "strike_on_status = [200]",
            "strike_on_status: must be at least 400, not 200",
        ),
    ];
    for (toml, expected) in cases {
        let error = read(toml).unwrap_err();
        assert!(error.starts_with(expected), "{toml}: {error}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn statuses_come_from_the_environment_too() {
    let variables = [
        ("GUARD_STRIKE_ON_STATUS", "401, 403"),
        ("GUARD_NOT_FOUND_LIMIT", "30"),
    ];
    let config = SecurityConfig::builder()
        .env_from(variables)
        .unwrap()
        .build()
        .unwrap();
    assert_eq!(config.settings().strike_on_status, [401, 403]);
    assert_eq!(config.settings().not_found_limit, Some(30));
}
