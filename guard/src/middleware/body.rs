//! The body on its way to the handler: detectors look at its beginning, and it passes on unchanged.
//!
//! Nothing is kept back. If the beginning is a threat, the stream ends in an error before its last piece, so that no extractor takes the
//! body for whole. Must not know: what is done about a threat.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
};

use actix_web::{
    HttpMessage as _,
    dev::{Payload, ServiceRequest},
    error::PayloadError,
    http::header,
    web::Bytes,
};
use futures_core::Stream;

use crate::{
    client::Client,
    detect::{BodyKind, Threat},
    judge::threat_of,
    view::View,
};

use super::facts::is_left_alone;

/// What was found in a body, once its beginning has been looked at.
#[derive(Debug, Default)]
pub(super) struct Verdict(RefCell<Option<Threat>>);

impl Verdict {
    /// The threat, given once.
    pub(super) fn take(&self) -> Option<Threat> {
        self.0.take()
    }
}

/// Has the body looked at, if it is of a kind that is; where what is found will be.
pub(super) fn watch(
    request: &mut ServiceRequest,
    view: &Rc<View>,
    client: &Client,
) -> Option<Rc<Verdict>> {
    if !view.settings.looks_at_bodies() {
        return None;
    }
    let kind = kind(request)?;
    if is_left_alone(request, view) {
        return None;
    }
    let verdict = Rc::new(Verdict::default());
    let watched = Watched {
        body: request.take_payload(),
        beginning: Some(Vec::new()),
        limit: view.settings.detection.detection.body_bytes,
        kind,
        verdict: Rc::clone(&verdict),
        is_refused: false,
        view: Rc::clone(view),
        client: client.clone(),
        path: request.path().to_owned(),
    };
    request.set_payload(Payload::Stream {
        payload: Box::pin(watched),
    });
    Some(verdict)
}

/// Compressed bodies are left alone.
fn kind(request: &ServiceRequest) -> Option<BodyKind> {
    let headers = request.headers();
    let content_type = headers.get(header::CONTENT_TYPE)?;
    let is_plain = headers
        .get(header::CONTENT_ENCODING)
        .is_none_or(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity"));
    is_plain
        .then(|| BodyKind::of(content_type.as_bytes()))
        .flatten()
}

/// A body of which the beginning is being looked at.
struct Watched {
    body: Payload,
    /// `None` once it has been looked at.
    beginning: Option<Vec<u8>>,
    limit: usize,
    kind: BodyKind,
    verdict: Rc<Verdict>,
    is_refused: bool,
    view: Rc<View>,
    client: Client,
    path: String,
}

impl Stream for Watched {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.is_refused {
            return Poll::Ready(None);
        }
        let piece = ready!(Pin::new(&mut self.body).poll_next(context));
        match &piece {
            Some(Ok(bytes)) => self.take_in(bytes),
            Some(Err(_)) => {}
            None => self.look(),
        }
        Poll::Ready(if self.is_refused {
            Some(Err(PayloadError::Io(io::Error::other(
                "refused: a detector flags the body",
            ))))
        } else {
            piece
        })
    }
}

impl Watched {
    fn take_in(&mut self, bytes: &[u8]) {
        let Some(beginning) = &mut self.beginning else {
            return;
        };
        let wanted = self.limit.saturating_sub(beginning.len());
        beginning.extend(bytes.iter().take(wanted));
        if beginning.len() >= self.limit {
            self.look();
        }
    }

    fn look(&mut self) {
        let Some(beginning) = self.beginning.take() else {
            return;
        };
        let (view, client, path) = (&self.view, &self.client, &self.path);
        let mut threat = None;
        view.settings.detection.detection.inspect_body(
            self.kind,
            &beginning,
            &mut |finding, action| {
                threat = threat_of(view, client, finding, action, path);
                threat.is_some()
            },
        );
        self.is_refused = threat.is_some() && !view.settings.passive;
        *self.verdict.0.borrow_mut() = threat;
    }
}
