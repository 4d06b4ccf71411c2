import GRDB
import Hummingbird
import HummingbirdTLS
import Logging
import Metrics
import NIOSSL
import ServiceLifecycle

/// What is served.
func pageBytes() -> Int { PackageResources.index_html.count }
