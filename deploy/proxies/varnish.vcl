# /etc/varnish/default.vcl: in front of one node on this machine. Varnish keeps idle connections to the platform for 60 s
# (`varnishd -p backend_idle_timeout=60`): keep that below FREEHOLD_KEEP_ALIVE (75 s).
vcl 4.1;

backend freehold {
    .host = "127.0.0.1";
    .port = "4000";
    .first_byte_timeout = 300s;
    .between_bytes_timeout = 300s;
}

# The replies are those of one caller: nothing is cached.
sub vcl_recv {
    return (pass);
}
