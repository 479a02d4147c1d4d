//! Every route attribute, under every name it goes by.

use actix_web::{
    App, Responder, connect, delete, get, head, options, patch, post, put, query, route, routes,
    trace,
};
use actix_web_guard::rate_limit;

#[rate_limit(requests = 5, window = 60)]
#[get("/get")]
async fn with_get() -> impl Responder {
    "get"
}

#[rate_limit(requests = 5, window = 60)]
#[post("/post")]
async fn with_post() -> impl Responder {
    "post"
}

#[rate_limit(requests = 5, window = 60)]
#[put("/put")]
async fn with_put() -> impl Responder {
    "put"
}

#[rate_limit(requests = 5, window = 60)]
#[delete("/delete")]
async fn with_delete() -> impl Responder {
    "delete"
}

#[rate_limit(requests = 5, window = 60)]
#[head("/head")]
async fn with_head() -> impl Responder {
    "head"
}

#[rate_limit(requests = 5, window = 60)]
#[connect("/connect")]
async fn with_connect() -> impl Responder {
    "connect"
}

#[rate_limit(requests = 5, window = 60)]
#[options("/options")]
async fn with_options() -> impl Responder {
    "options"
}

#[rate_limit(requests = 5, window = 60)]
#[trace("/trace")]
async fn with_trace() -> impl Responder {
    "trace"
}

#[rate_limit(requests = 5, window = 60)]
#[patch("/patch")]
async fn with_patch() -> impl Responder {
    "patch"
}

#[rate_limit(requests = 5, window = 60)]
#[query("/query")]
async fn with_query() -> impl Responder {
    "query"
}

#[rate_limit(requests = 5, window = 60)]
#[route("/route", method = "GET", method = "POST", method = "PURGE")]
async fn with_route() -> impl Responder {
    "route"
}

#[rate_limit(requests = 5, window = 60)]
#[routes]
#[get("/routes")]
#[post("/routes")]
#[get("/more/{rest:.*}")]
async fn with_routes() -> impl Responder {
    "routes"
}

#[rate_limit(requests = 5, window = 60)]
#[actix_web::get("/full")]
async fn with_full_path() -> impl Responder {
    "full"
}

#[actix_web_guard::rate_limit(requests = 5, window = 60)]
#[::actix_web::route("/fuller", method = "GET")]
async fn with_both_full_paths() -> impl Responder {
    "fuller"
}

mod renamed {
    use actix_web::Responder;
    use actix_web::post as get;
    use actix_web_guard::rate_limit as limit;

    // Whatever `get` is here, it takes the option.
    #[limit(requests = 5, window = 60)]
    #[get("/renamed")]
    pub async fn handler() -> impl Responder {
        "renamed"
    }
}

fn main() {
    #[rate_limit(requests = 5, window = 60)]
    #[get("/inside")]
    async fn inside_a_function() -> impl Responder {
        "inside"
    }

    let _ = App::new()
        .service(with_get)
        .service(with_post)
        .service(with_put)
        .service(with_delete)
        .service(with_head)
        .service(with_connect)
        .service(with_options)
        .service(with_trace)
        .service(with_patch)
        .service(with_query)
        .service(with_route)
        .service(with_routes)
        .service(with_full_path)
        .service(with_both_full_paths)
        .service(renamed::handler)
        .service(inside_a_function);
}
