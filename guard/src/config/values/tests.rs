use super::*;

fn message<T>(read: Result<T, Problem>) -> String {
    match read {
        Ok(_) => panic!("was accepted"),
        Err(problem) => problem.in_field("field").to_string(),
    }
}

#[test]
fn environment_text_has_the_form_of_its_field() {
    let after = |raw| Raw::Table(vec![("after".to_owned(), raw)]);
    let cases = [
        (Form::Number, "50", Raw::Integer(50)),
        (Form::Number, " 50 ", Raw::Integer(50)),
        (Form::Number, "-1", Raw::Integer(-1)),
        (Form::Number, "5m", Raw::text("5m")),
        (Form::Number, "", Raw::text("")),
        (Form::Word, " draft ", Raw::text("draft")),
        (Form::Words, " memory ", Raw::text("memory")),
        (Form::Words, "", Raw::text("")),
        (Form::Words, "a, b ", Raw::texts(["a", "b"])),
        (Form::Words, "a,", Raw::texts(["a", ""])),
        (Form::Path, " /var/x ", Raw::text(" /var/x ")),
        (Form::List, "", Raw::List(vec![])),
        (Form::List, "  ", Raw::List(vec![])),
        (Form::List, "a, b ,c", Raw::texts(["a", "b", "c"])),
        (Form::List, "a,,b", Raw::texts(["a", "", "b"])),
        (Form::List, "a,", Raw::texts(["a", ""])),
        (
            Form::StrikeReset,
            "clean_request",
            Raw::text("clean_request"),
        ),
        (Form::StrikeReset, "after=3600", after(Raw::Integer(3600))),
        (Form::StrikeReset, "after = 1h", after(Raw::text("1h"))),
        (Form::StrikeReset, "after", Raw::text("after")),
    ];
    for (form, value, expected) in cases {
        assert_eq!(form.read(value), expected, "{value:?}");
    }
}

#[test]
fn environment_switches() {
    for value in ["true", "TRUE", "1", "yes", "Yes", "on", "ON", " true "] {
        assert_eq!(Form::Switch.read(value), Raw::Switch(true), "{value}");
    }
    for value in ["false", "False", "0", "no", "NO", "off", "Off"] {
        assert_eq!(Form::Switch.read(value), Raw::Switch(false), "{value}");
    }
    for value in ["", "2", "y", "t", "enabled"] {
        assert_eq!(Form::Switch.read(value), Raw::text(value), "{value}");
    }
}

#[test]
fn integers_in_bounds() {
    assert_eq!(as_integer::<u32>(&Raw::Integer(1), 1..=9).unwrap(), 1);
    assert_eq!(as_integer::<u32>(&Raw::Integer(9), 1..=9).unwrap(), 9);
    let cases = [
        (Raw::Integer(0), "must be at least 1, not 0"),
        (Raw::Integer(-7), "must be at least 1, not -7"),
        (Raw::Integer(10), "must be at most 9, not 10"),
        (
            Raw::Integer(1 << 70),
            "must be at most 9, not 1180591620717411303424",
        ),
        (Raw::text("many"), "must be a whole number, not \"many\""),
        (Raw::Switch(true), "must be a whole number, not true"),
        (Raw::Other("1.5".into()), "must be a whole number, not 1.5"),
        (Raw::List(vec![]), "must be a whole number, not a list"),
    ];
    for (raw, expected) in cases {
        assert_eq!(
            message(as_integer::<u32>(&raw, 1..=9)),
            format!("field: {expected}")
        );
    }
}

#[test]
fn a_number_beyond_its_type_is_a_problem_and_not_a_wrapped_number() {
    let read = as_integer::<u8>(&Raw::Integer(256), 1..=1000);
    assert_eq!(message(read), "field: must be smaller, not 256");
}

#[test]
fn durations_in_seconds_and_units() {
    let cases = [
        (Raw::Integer(90), 90),
        (Raw::text("90s"), 90),
        (Raw::text("5m"), 300),
        (Raw::text("1h"), 3600),
        (Raw::text("1d"), 86_400),
        (Raw::text("007s"), 7),
    ];
    for (raw, seconds) in cases {
        let read = as_duration(&raw, 1..=100_000).unwrap();
        assert_eq!(read, Duration::from_secs(seconds), "{raw}");
    }
}

#[test]
fn durations_out_of_bounds_or_without_sense() {
    let cases = [
        (Raw::Integer(0), "must be at least 1 second, not 0"),
        (Raw::text("0s"), "must be at least 1 second, not \"0s\""),
        (Raw::Integer(-5), "must be at least 1 second, not -5"),
        (Raw::Integer(101), "must be at most 100 seconds, not 101"),
        (Raw::text("2m"), "must be at most 100 seconds, not \"2m\""),
    ];
    for (raw, expected) in cases {
        assert_eq!(
            message(as_duration(&raw, 1..=100)),
            format!("field: {expected}")
        );
    }
    let nonsense = [
        "", "s", "5", "-5m", "+5m", "5 m", "1.5h", "1h30m", "5M", "5ms", "5w", "٥s", "∞d",
    ];
    for text in nonsense {
        let message = message(as_duration(&Raw::text(text), 1..=100));
        assert!(message.contains("must be whole seconds or"), "{message}");
        assert!(
            message.ends_with(&format!("not {}", text::quoted(text))),
            "{message}"
        );
    }
    let huge = Raw::text(format!("{}d", i128::MAX));
    assert!(message(as_duration(&huge, 1..=100)).starts_with("field: must"));
    assert!(message(as_duration(&Raw::Switch(true), 1..=100)).ends_with("not true"));
}

#[test]
fn switches_texts_paths_and_words_refuse_other_types() {
    let words = [("draft", 1), ("off", 2)];
    assert_eq!(as_word(&Raw::text("off"), &words).unwrap(), 2);
    assert_eq!(as_name(&Raw::text("mymaster")).unwrap(), "mymaster");
    let cases = [
        (
            message(as_switch(&Raw::Integer(1))),
            "must be true or false, not 1",
        ),
        (
            message(as_switch(&Raw::text("maybe"))),
            "must be true or false, not \"maybe\"",
        ),
        (message(as_text(&Raw::Integer(1))), "must be a text, not 1"),
        (message(as_path(&Raw::text(""))), "must be a path, not \"\""),
        (
            message(as_path(&Raw::Switch(true))),
            "must be a path, not true",
        ),
        (message(as_name(&Raw::Integer(1))), "must be a text, not 1"),
        (message(as_name(&Raw::text(""))), "must not be empty"),
        (
            message(as_name(&Raw::text("my master"))),
            "must not contain spaces or control characters, as \"my master\" does",
        ),
        (
            message(as_word(&Raw::text("Draft"), &words)),
            "must be one of \"draft\", \"off\", not \"Draft\"",
        ),
        (
            message(as_word(&Raw::Switch(false), &words)),
            "must be one of \"draft\", \"off\", not false",
        ),
    ];
    for (message, expected) in cases {
        assert_eq!(message, format!("field: {expected}"));
    }
}

#[test]
fn strike_resets_read_back() {
    for reset in [
        StrikeReset::CleanRequest,
        StrikeReset::After(Duration::from_secs(3600)),
    ] {
        let read = as_strike_reset(&from_strike_reset(reset), 1..=10_000).unwrap();
        assert_eq!(read, reset);
    }
}

#[test]
fn bad_strike_resets() {
    let table = |key: &str, raw| Raw::Table(vec![(key.to_owned(), raw)]);
    let cases = [
        (
            Raw::text("never"),
            "field: must be \"clean_request\" or { after = SECONDS }, not \"never\"",
        ),
        (
            Raw::Integer(5),
            "field: must be \"clean_request\" or { after = SECONDS }, not 5",
        ),
        (
            Raw::Table(vec![]),
            "field: must have a key: { after = 3600 }, for example",
        ),
        (
            table("aftr", Raw::Integer(5)),
            "field.aftr: unknown field; did you mean after?",
        ),
        (
            table("after", Raw::Integer(0)),
            "field.after: must be at least 1 second, not 0",
        ),
        (
            from_strike_reset(StrikeReset::After(Duration::from_millis(1500))),
            "field.after: must be whole seconds or a text such as \"90s\", \"5m\", \"1h\" or \"1d\", not 1.5s",
        ),
    ];
    for (raw, expected) in cases {
        assert_eq!(message(as_strike_reset(&raw, 1..=100)), expected);
    }
}
