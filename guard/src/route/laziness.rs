//! Whether a service calls the one inside at once.
//!
//! Must not know: requests.

/// Whether a service might put off calling the one inside until it is polled. Only actix-web's own services that are known not
/// to are believed: for all others the answer is yes.
pub(crate) fn may_be_lazy<S>() -> bool {
    const PROMPT: [&str; 12] = [
        "AppRouting",
        "ScopeService",
        "ResourceService",
        "CompressMiddleware",
        "ConditionMiddleware",
        "CorsMiddleware",
        "DefaultHeadersMiddleware",
        "ErrorHandlersMiddleware",
        "GuardService",
        "LoggerMiddleware",
        "NormalizePathNormalization",
        "RouteLimitService",
    ];
    let name = std::any::type_name::<S>();
    let types = name
        .split(['<', '>', ',', ' '])
        .filter(|part| !part.is_empty());
    !types
        .map(|path| path.rsplit("::").next().unwrap_or(path))
        .all(|part| PROMPT.contains(&part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_services_known_to_be_prompt_are_believed() {
        struct AppRouting;
        struct LoggerMiddleware<S>(S);
        struct Mine<S>(S);
        assert!(!may_be_lazy::<AppRouting>());
        assert!(!may_be_lazy::<LoggerMiddleware<AppRouting>>());
        assert!(may_be_lazy::<Mine<AppRouting>>());
        assert!(may_be_lazy::<LoggerMiddleware<Mine<AppRouting>>>());
        let _ = (AppRouting, LoggerMiddleware(Mine(())), Mine(()));
    }
}
