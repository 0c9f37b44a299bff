"""The old interface: functions with the names, arguments and results that earlier scripts use. They only translate."""
