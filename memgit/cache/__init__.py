"""The edge to SQLite: one disposable file under the git directory."""
