module winnow-session-clients

go 1.25
