//! Proofs and paths, without a guard.

use actix_web::{
    http::header::{AUTHORIZATION, HeaderValue},
    test::TestRequest,
};

use super::{
    announce,
    auth::{Auth, Proven},
    mounts::meant_by,
};

const TOKEN: &str = "correct horse: battery";

fn proven(auth: &Auth, lines: &[&str]) -> Proven {
    let request = lines.iter().fold(TestRequest::default(), |request, line| {
        request.append_header(("authorization", *line))
    });
    auth.proven(&request.to_srv_request())
}

#[test]
fn a_token_comes_as_bearer_or_as_the_password_of_any_user() {
    let auth = Auth::token(TOKEN).unwrap();
    for (line, expected) in [
        ("Bearer correct horse: battery", Proven::Right),
        ("bearer  correct horse: battery ", Proven::Right),
        (
            "BASIC b3BlcmF0b3I6Y29ycmVjdCBob3JzZTogYmF0dGVyeQ==",
            Proven::Right,
        ),
        ("Basic OmNvcnJlY3QgaG9yc2U6IGJhdHRlcnk=", Proven::Right),
        ("Bearer correct horse: batterz", Proven::Wrong),
        ("Bearer correct horse: batter", Proven::Wrong),
        ("Bearer ", Proven::Wrong),
        ("Bearer", Proven::Wrong),
        ("", Proven::Wrong),
        ("correct horse: battery", Proven::Wrong),
        ("Basic correct horse: battery", Proven::Wrong),
        ("Basic Y29ycmVjdCBob3JzZTogYmF0dGVyeQ==", Proven::Wrong),
        ("Basic b3BlcmF0b3I=", Proven::Wrong),
        ("Basic !", Proven::Wrong),
        ("Digest correct horse: battery", Proven::Wrong),
    ] {
        assert_eq!(proven(&auth, &[line]), expected, "{line:?}");
    }
    assert_eq!(proven(&auth, &[]), Proven::Nothing);
    let right = "Bearer correct horse: battery";
    assert_eq!(proven(&auth, &[right, right]), Proven::Wrong);
}

#[test]
fn a_token_may_come_from_a_file_and_have_letters_of_any_alphabet() {
    let auth = Auth::token("schlüssel-für-alle\n").unwrap();
    for line in [
        "Bearer schlüssel-für-alle",
        "Basic eDpzY2hsw7xzc2VsLWbDvHItYWxsZQ==",
        "Basic eDpzY2hsw7xzc2VsLWbDvHItYWxsZQo=",
    ] {
        let value = HeaderValue::from_bytes(line.as_bytes()).unwrap();
        let request = TestRequest::default().insert_header((AUTHORIZATION, value));
        assert_eq!(
            auth.proven(&request.to_srv_request()),
            Proven::Right,
            "{line}"
        );
    }
    assert_eq!(proven(&auth, &["Bearer \u{fc}"]), Proven::Wrong);
}

#[test]
fn a_token_that_can_be_guessed_is_refused_and_never_shown() {
    for token in ["", "secret", "fifteen bytes :", "fifteen bytes :\n"] {
        let error = Auth::token(token).unwrap_err().to_string();
        assert!(
            error.contains(&format!("has {};", token.trim_ascii().len())),
            "{error}"
        );
        assert!(token.is_empty() || !error.contains(token), "{error}");
    }
    let auth = Auth::token("sixteen bytes :)").unwrap();
    assert_eq!(format!("{auth:?}"), "Auth::token(…)");
}

#[test]
fn a_closure_sees_the_request() {
    let auth = Auth::check(|request| request.headers().contains_key("authorization"));
    assert_eq!(proven(&auth, &["anything"]), Proven::Right);
    assert_eq!(proven(&auth, &[]), Proven::Wrong);
}

#[test]
fn a_scope_may_lie_in_others_and_is_gone_with_its_application() {
    let is_meant = |path| !meant_by(path).is_empty();
    let mount = announce("/guard".to_owned(), Auth::token(TOKEN).unwrap());
    for path in [
        "/guard",
        "/guard/",
        "/guard/api/bans",
        "/internal/guard/api",
    ] {
        assert!(is_meant(path), "{path}");
    }
    for path in [
        "/",
        "",
        "/guardian",
        "/my-guard",
        "/guard%2Fapi",
        "/guards/guar",
    ] {
        assert!(!is_meant(path), "{path}");
    }
    drop(mount);
    assert!(!is_meant("/guard"));
}
