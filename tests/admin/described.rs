//! The description of the endpoints is true: each answers as it says.

use std::collections::BTreeSet;

use actix_web::test::TestRequest;
use actix_web_guard::GuardHandle;
use serde_json::{Value, json};

use super::{app, json, operator};
use crate::support::{Answer, config, get, seconds, send, statuses};

/// A request, and the place in the description of what answers it.
struct Call {
    request: TestRequest,
    path: &'static str,
    method: &'static str,
    status: u16,
}

fn call(method: &'static str, path: &'static str, uri: &str, status: u16) -> Call {
    let method_name = method.to_ascii_uppercase();
    Call {
        request: operator(&method_name, &format!("/guard/api{uri}")),
        path,
        method,
        status,
    }
}

fn post(body: &'static str, content_type: &str, status: u16) -> Call {
    let mut call = call("post", "/bans", "/bans", status);
    let with_type = call.request.insert_header(("content-type", content_type));
    call.request = with_type.set_payload(body);
    call
}

fn from_elsewhere(mut call: Call) -> Call {
    call.request = call.request.insert_header(("sec-fetch-site", "cross-site"));
    call
}

/// One of each kind of answer.
fn calls() -> Vec<Call> {
    let json = "application/json";
    vec![
        call("get", "/overview", "/overview", 200),
        call("get", "/bans", "/bans", 200),
        call("get", "/bans", "/bans?page=x", 400),
        call("get", "/bans", "/bans?page=0", 422),
        post(r#"{"client":"198.51.100.7","duration":60}"#, json, 201),
        post(r#"{"client":"nobody","duration":60}"#, json, 422),
        post("{}", "text/plain", 415),
        call("delete", "/bans/{client}", "/bans/198.51.100.7", 200),
        call("delete", "/bans/{client}", "/bans/nobody", 422),
        call("get", "/clients/{client}", "/clients/192.0.2.10", 200),
        call("get", "/clients/{client}", "/clients/198.51.100.1", 200),
        call("get", "/clients/{client}", "/clients/nobody", 422),
        call("get", "/routes", "/routes", 200),
        call("get", "/configuration", "/configuration", 200),
        call("get", "/openapi.json", "/openapi.json", 200),
        from_elsewhere(call("get", "/routes", "/routes", 403)),
    ]
}

/// The schema of an answer, as it stands in the description.
fn schema<'a>(described: &'a Value, call: &Call, answer: &Answer) -> &'a Value {
    let operation = &described["paths"][call.path][call.method];
    let content = &operation["responses"][answer.status.as_str()]["content"];
    let media_type = answer.header("content-type").unwrap();
    let schema = &content[media_type]["schema"];
    assert!(
        !schema.is_null(),
        "{} {}: {answer:?}",
        call.method,
        call.path
    );
    schema
}

#[track_caller]
fn assert_valid(described: &Value, schema: &Value, instance: &Value) {
    let mut schema = schema.clone();
    schema["components"] = described["components"].clone();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> = validator
        .iter_errors(instance)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{errors:#?}\n{instance:#}");
}

#[actix_web::test]
async fn every_answer_is_as_described() {
    let config = config(|config| config.rate_limit(3).auto_ban_threshold(1));
    let app = app!(config);
    let described = send(&app, operator("GET", "/guard/api/openapi.json")).await;
    let described = json(&described);
    assert_eq!(described["openapi"], "3.1.0");
    let handle = GuardHandle::of(&config);
    handle
        .ban("198.51.100.1", seconds(60), "test")
        .await
        .unwrap();
    assert_eq!(statuses(&app, &["/"; 4]).await, [200, 200, 200, 429]);

    let mut answered = BTreeSet::new();
    for mut call in calls() {
        let request = std::mem::take(&mut call.request);
        let answer = send(&app, request).await;
        assert_eq!(answer.status, call.status, "{} {}", call.method, call.path);
        assert_valid(
            &described,
            schema(&described, &call, &answer),
            &json(&answer),
        );
        if answer.status.is_success() {
            answered.insert((call.path, call.method));
        }
    }
    let paths = described["paths"].as_object().unwrap().iter();
    let all: BTreeSet<_> = paths
        .flat_map(|(path, operations)| {
            let methods = operations.as_object().unwrap().keys();
            methods.map(move |method| (path.as_str(), method.as_str()))
        })
        .collect();
    assert_eq!(answered, all);
}

#[actix_web::test]
async fn who_does_not_get_in_is_told_as_described() {
    let app = app!(config(|config| config));
    let described = json(&send(&app, operator("GET", "/guard/api/openapi.json")).await);
    let guess = || get("/guard/api/routes").insert_header(("authorization", "Bearer of bad news"));
    let route = call("get", "/routes", "/routes", 401);
    for status in [vec![401; 10], vec![429]].concat() {
        let answer = send(&app, guess()).await;
        assert_eq!(answer.status, status);
        assert_valid(
            &described,
            schema(&described, &route, &answer),
            &json(&answer),
        );
    }
}

#[test]
fn a_wrong_answer_would_be_noticed() {
    let described = json!({"components": {"schemas": {"A": {
        "type": "object", "additionalProperties": false, "required": ["a"],
        "properties": {"a": {"type": "integer"}},
    }}}});
    let schema = json!({"$ref": "#/components/schemas/A"});
    assert_valid(&described, &schema, &json!({"a": 1}));
    for wrong in [json!({}), json!({"a": "1"}), json!({"a": 1, "b": 2})] {
        let noticed = std::panic::catch_unwind(|| assert_valid(&described, &schema, &wrong));
        assert!(noticed.is_err(), "{wrong}");
    }
}
