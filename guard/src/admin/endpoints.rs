//! The endpoints. `openapi.json` describes them.
//!
//! Must not know: who asks, how answers are made.

use std::time::Duration;

use actix_web::{
    Error, HttpRequest, HttpResponse,
    http::{StatusCode, header},
    web::{self, Bytes, Json, Path, Query, ServiceConfig},
};
use serde::Deserialize;

use crate::{
    bans::{Ban, BanSource},
    client::ClientKey,
    client_state::client_state,
    engine::Engine,
    handle::{GuardError, GuardHandle},
    route::listed_routes,
};

use super::{
    answers::{
        BanAnswer, BansAnswer, ClientAnswer, ConfigurationAnswer, LiftedAnswer, OverviewAnswer,
        RoutesAnswer, overview,
    },
    bans::{self, Wanted},
    problem::Problem,
    resource::{read, read_only, resource},
};

/// The description of all of this.
const OPENAPI: &str = include_str!("openapi.json");

/// Top offenders that are told.
const MOST_OFFENDERS: usize = 20;
const MOST_PER_PAGE: usize = 500;
const BY_HAND: &str = "banned by an operator";

pub(super) fn mount(config: &mut ServiceConfig) {
    config
        .service(
            resource("/bans", "GET, HEAD, POST")
                .route(read().to(get_bans))
                .route(web::post().to(post_ban)),
        )
        .service(resource("/bans/{client:.+}", "DELETE").route(web::delete().to(delete_ban)));
    for (path, route) in [
        ("/overview", read().to(get_overview)),
        ("/clients/{client:.+}", read().to(get_client)),
        ("/routes", read().to(get_routes)),
        ("/configuration", read().to(get_configuration)),
        ("/openapi.json", read().to(get_openapi)),
    ] {
        read_only(config, path, route);
    }
}

async fn get_overview(guard: GuardHandle) -> Json<OverviewAnswer> {
    let engine = guard.engine();
    let offenders = engine.meters.recent().offenders(MOST_OFFENDERS);
    let clients: Vec<ClientKey> = offenders.iter().map(|(one, _)| one.client).collect();
    // From the list that the page reads anyway: one call for each of them would be twenty.
    let mut bans = bans::of_clients(engine, &clients).await;
    let offenders = offenders.into_iter().map(|(offender, last)| {
        let ban = bans.remove(&offender.client.to_string());
        (offender, last, ban)
    });
    let offenders = offenders.collect();
    Json(overview(engine, offenders))
}

async fn ban_of(engine: &Engine, client: ClientKey) -> Option<Ban> {
    let passive = engine.settings().passive;
    engine.store(passive).ban_of(client).wait().await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct BansQuery {
    page: Option<usize>,
    per_page: Option<usize>,
    filter: Option<String>,
    by: Option<By>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum By {
    Automatic,
    Manual,
}

async fn get_bans(
    guard: GuardHandle,
    query: Result<Query<BansQuery>, Error>,
) -> Result<Json<BansAnswer>, Problem> {
    let query = query.map_err(|error| Problem::new(StatusCode::BAD_REQUEST, error))?;
    let wanted = wanted(query.into_inner())?;
    Ok(Json(bans::page(guard.engine(), &wanted).await))
}

fn wanted(query: BansQuery) -> Result<Wanted, Problem> {
    let page = query.page.unwrap_or(1);
    if page == 0 {
        return Err(Problem::unprocessable("page: pages are counted from 1"));
    }
    let per_page = query.per_page.unwrap_or(50);
    if !(1..=MOST_PER_PAGE).contains(&per_page) {
        let detail = format!("per_page: 1 to {MOST_PER_PAGE}, not {per_page}");
        return Err(Problem::unprocessable(detail));
    }
    let by = query.by.map(|by| match by {
        By::Automatic => BanSource::Automatic,
        By::Manual => BanSource::Manual,
    });
    Ok(Wanted {
        filter: query.filter,
        by,
        page,
        per_page,
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct NewBan {
    client: String,
    /// Seconds.
    duration: u64,
    reason: Option<String>,
}

async fn post_ban(
    guard: GuardHandle,
    request: HttpRequest,
    body: Result<Bytes, Error>,
) -> Result<HttpResponse, Problem> {
    let ban = new_ban(&request, body)?;
    let reason = ban.reason.as_deref().map(str::trim);
    let reason = reason.filter(|reason| !reason.is_empty());
    let duration = Duration::from_secs(ban.duration);
    let ban = guard
        .ban(&ban.client, duration, reason.unwrap_or(BY_HAND))
        .await?;
    guard.engine().ban_listing.changed();
    Ok(HttpResponse::Created().json(BanAnswer::from(&ban)))
}

fn new_ban(request: &HttpRequest, body: Result<Bytes, Error>) -> Result<NewBan, Problem> {
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let content_type = content_type.and_then(|value| value.to_str().ok());
    let essence = content_type.and_then(|value| value.split(';').next());
    if !essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json")) {
        let detail = "the body has to be application/json";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail));
    }
    let too_long = |error| Problem::new(StatusCode::PAYLOAD_TOO_LARGE, error);
    let body = body.map_err(too_long)?;
    serde_json::from_slice(&body).map_err(Problem::unprocessable)
}

async fn delete_ban(
    guard: GuardHandle,
    client: Path<String>,
) -> Result<Json<LiftedAnswer>, Problem> {
    let client = key(guard.engine(), &client)?;
    let lifted = guard.unban(client).await?;
    guard.engine().ban_listing.changed();
    let client = client.to_string();
    Ok(Json(LiftedAnswer { client, lifted }))
}

fn key(engine: &Engine, text: &str) -> Result<ClientKey, GuardError> {
    let key = ClientKey::parse_listed(text, engine.settings().ipv6_prefix);
    key.ok_or_else(|| GuardError::InvalidAddress(text.to_owned()))
}

async fn get_client(
    guard: GuardHandle,
    client: Path<String>,
) -> Result<Json<ClientAnswer>, Problem> {
    let engine = guard.engine();
    let client = key(engine, &client)?;
    let ban = ban_of(engine, client).await;
    let state = client_state(engine, client).await;
    let client = client.to_string();
    Ok(Json(ClientAnswer::of(client, state, ban.as_ref())))
}

async fn get_routes(guard: GuardHandle) -> Json<RoutesAnswer> {
    let engine = guard.engine();
    Json(RoutesAnswer::of(listed_routes(engine, &engine.settings())))
}

async fn get_configuration(guard: GuardHandle) -> Json<ConfigurationAnswer> {
    Json(ConfigurationAnswer::of(&guard.engine().settings()))
}

async fn get_openapi() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("application/json")
        .body(OPENAPI)
}
