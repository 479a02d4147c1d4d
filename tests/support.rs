//! What the tests share: a guard with a clock that stands still, and requests from made-up peers.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use actix_web::{
    Error,
    body::{MessageBody, to_bytes},
    dev::{Service, ServiceResponse},
    http::{Method, StatusCode, header::HeaderMap},
    test::TestRequest,
};
use actix_web_guard::{SecurityConfig, SecurityConfigBuilder, clock::ManualClock};

pub const PEER: &str = "192.0.2.10";

/// A configuration on a clock of its own.
pub fn configure(
    set: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder,
) -> (SecurityConfig, Arc<ManualClock>) {
    let clock = Arc::new(ManualClock::new());
    let config = set(SecurityConfig::builder().clock(clock.clone()))
        .build()
        .unwrap();
    (config, clock)
}

/// A configuration whose clock stands still.
pub fn config(set: impl FnOnce(SecurityConfigBuilder) -> SecurityConfigBuilder) -> SecurityConfig {
    configure(set).0
}

/// An answer, whether it came as a response or as an error.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: String,
    pub as_error: bool,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A GET request of [`PEER`].
pub fn get(path: &str) -> TestRequest {
    request("GET", path)
}

/// A request of [`PEER`].
pub fn request(method: &str, path: &str) -> TestRequest {
    TestRequest::with_uri(path)
        .method(method.parse::<Method>().unwrap())
        .peer_addr(peer(PEER))
}

/// A request of [`PEER`] from text such as `POST /items`.
pub fn parse(text: &str) -> TestRequest {
    let (method, path) = text.split_once(' ').unwrap_or(("GET", text));
    request(method, path)
}

pub fn peer(address: &str) -> SocketAddr {
    SocketAddr::new(address.parse().unwrap(), 4711)
}

/// Sends a request; an error is answered as the server would.
pub async fn send<S, B>(app: &S, request: TestRequest) -> Answer
where
    S: Service<actix_http::Request, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    match app.call(request.to_request()).await {
        Ok(response) => {
            let (status, headers) = (response.status(), response.headers().clone());
            let body = to_bytes(response.into_body())
                .await
                .ok()
                .unwrap_or_default();
            Answer {
                status,
                headers,
                body: String::from_utf8_lossy(&body).into_owned(),
                as_error: false,
            }
        }
        Err(error) => {
            let response = error.error_response();
            let (status, headers) = (response.status(), response.headers().clone());
            let body = to_bytes(response.into_body()).await.unwrap_or_default();
            Answer {
                status,
                headers,
                body: String::from_utf8_lossy(&body).into_owned(),
                as_error: true,
            }
        }
    }
}

/// The statuses of some requests, sent one after another: `"GET /a"` or just `"/a"`.
pub async fn statuses<S, B>(app: &S, requests: &[&str]) -> Vec<u16>
where
    S: Service<actix_http::Request, Response = ServiceResponse<B>, Error = Error>,
    B: MessageBody,
{
    let mut statuses = Vec::new();
    for text in requests {
        statuses.push(send(app, parse(text)).await.status.as_u16());
    }
    statuses
}

pub fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}
