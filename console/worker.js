// It does nothing: that a browser takes it says that it has verified the gateway's certificate (docs/console.md#trust).
